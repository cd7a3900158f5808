# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  module Executor
    # The end of a block by other than its value, as plain data that can leave the worker.
    #
    # kind:: :error; or :break when the block used +break+; or :throw when it threw a tag that
    #        nothing in the worker catches; or :undumpable when the result or the exception could
    #        not leave the worker
    # position:: of the call in its message, from 0
    # value:: the exception; the value of the break; the tag and value of the throw; or what could
    #         not leave, and why, in words
    # backtrace:: of the exception, apart from it because not every way between workers keeps it
    Failure = Struct.new(:kind, :position, :value, :backtrace) do
      # Whether another attempt may end better. One with wrong arguments does not, nor one with what
      # cannot cross to its worker.
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

        # A block in another thread, fiber or process cannot unwind into the caller's frames: Ruby
        # says so with these two errors, and the caller carries out what was meant.
        def outcome(error)
          case error
          when LocalJumpError
            (error.reason == :break) ? [:break, error.exit_value] : [:error, error]
          when UncaughtThrowError then [:throw, [error.tag, error.value]]
          else [:error, error]
          end
        end

        # A class may have a method of its own for this, which may raise.
        def backtrace(error)
          error.backtrace
        rescue => worse
          worse.backtrace
        end
      end
    end
  end
end
