# frozen_string_literal: true

require_relative "item_context"
require_relative "work"

module Raffia
  class Pool
    # Failures on their way out of a worker process or Ractor, as strings. What cannot be dumped is replaced by words about it:
    # words always arrive.
    #
    # @api private
    module FailureDump
      # What Marshal says to a value: what the value's own methods may raise, and that it is nested too deeply, or too large.
      REFUSALS = [StandardError, SystemStackError, ScriptError, NoMemoryError].freeze

      class << self
        # @param value [Object]
        # @param codec [#dump] as Marshal
        # @return [Boolean]
        def dumpable?(value, codec = Marshal)
          codec.dump(value)
          true
        rescue *REFUSALS
          false
        end

        # As {dumpable?}; of an exception that is only held back by the item of a call inside of this one, that is taken off.
        # @param error [Object]
        # @return [Boolean]
        def crosses?(error) = dumpable?(error) || (ItemContext.forget(error) && dumpable?(error))

        # @param failure [Failure]
        # @return [String]
        def dump(failure)
          Marshal.dump(failure.to_a)
        rescue *REFUSALS => error
          return Marshal.dump(failure.to_a) if crosses?(failure.value)

          Marshal.dump(refusal(failure.position, what(failure), error, failure.backtrace).to_a)
        end

        # @param string [String]
        # @return [Failure]
        def load(string) = Failure.new(*Marshal.load(string)) # standard:disable Security/MarshalLoad

        # @param position [Integer] in the chunk
        # @param what [String] cannot be dumped
        # @param error [StandardError] why
        # @return [Failure]
        def refusal(position, what, error, backtrace = nil)
          Failure.new(:undumpable, position, [what, error.message], backtrace)
        end

        private

        def what(failure)
          case failure.kind
          when :break then "the value of the break"
          when :throw then "the value of the throw"
          else "the exception #{failure.value.class} (#{words(failure.value)})"
          end
        end

        # A message is code of the user's.
        def words(error)
          error.message
        rescue => worse
          "whose message raises #{worse.class}"
        end
      end
    end
  end
end
