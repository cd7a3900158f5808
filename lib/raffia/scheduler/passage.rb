# frozen_string_literal: true

module Raffia
  class Scheduler
    # A transfer that the engine is doing. It is over when the engine says so, which may be several
    # waits of the fiber later.
    #
    # @api private
    class Passage
      # @return [IO]
      attr_reader :io
      # @return [Integer, nil] the engine's name for it, once it is under way
      attr_accessor :id
      # @return [Object, nil] the wait that it ends
      attr_accessor :wait
      # @return [Integer, nil] what came of it; nil while the buffer is in use
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
