# frozen_string_literal: true

module Raffia
  module Executor
    # The end of a block by other than its value, as plain data that can leave the worker.
    #
    # kind:: :error; :break when the block used +break+; :throw when it threw a tag that nothing in
    #        the worker catches; :undumpable when result or exception could not leave the worker
    # position:: of the call in its message, from 0
    # value:: the exception; the value of the break; tag and value of the throw; or the name of the
    #         undumpable thing, and why
    # backtrace:: of the exception: not every transport keeps it
    Failure = Struct.new(:kind, :position, :value, :backtrace) do
      # Whether another attempt may end better. Wrong arguments stay wrong, and so do values that
      # cannot cross to the worker.
      def retryable?(errors)
        case value
        when ConfigError, NotShareable, NotDumpable then false
        else kind == :error && errors.any? { |error| error === value }
        end
      end
    end

    class Failure
      # Carries a failure from elsewhere back through the code that asked for it.
      class Remote < StandardError
        attr_reader :failure

        def initialize(failure)
          @failure = failure
          super("a #{failure.kind} elsewhere")
        end
      end

      class << self
        def of(error, position = 0)
          kind, value = outcome(error)
          new(kind, position, value, backtrace(error))
        end

        private

        # A block in another thread, fiber or process cannot unwind into the caller's frames. Ruby
        # reports that with these two errors, and the caller carries out the break or throw.
        def outcome(error)
          case error
          when LocalJumpError
            (error.reason == :break) ? [:break, error.exit_value] : [:error, error]
          when UncaughtThrowError then [:throw, [error.tag, error.value]]
          else [:error, error]
          end
        end

        # The class may define the method, and it may raise.
        def backtrace(error)
          error.backtrace
        rescue => worse
          worse.backtrace
        end
      end
    end
  end
end
