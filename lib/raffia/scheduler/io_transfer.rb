# frozen_string_literal: true

module Raffia
  class Scheduler
    # A read or write that the engine is doing. It ends with its completion, which may take several
    # waits of the fiber.
    #
    # @api private
    class IOTransfer
      # @return [IO]
      attr_reader :io
      # @return [Integer, nil] the engine's id, once it is under way
      attr_accessor :id
      # @return [Object, nil] the wait that it ends
      attr_accessor :wait
      # @return [Integer, nil] bytes or a negative errno; nil while the buffer is in use
      attr_reader :result

      def initialize(io)
        @io = io
      end

      # Called by the loop.
      # @return [Object, nil] the wait that it ends
      def complete(result)
        @result = result
        @wait
      end
    end
  end
end
