# frozen_string_literal: true

require_relative "experimental_warning"

module Raffia
  module Process
    # One number in memory that a parent and its child share: after a worker was killed, the parent
    # reads what it was about to do.
    #
    # @api private
    class SharedCounter
      # Made before the fork.
      def initialize
        @memory = ExperimentalWarning.silence do
          IO::Buffer.new(IO::Buffer::PAGE_SIZE, IO::Buffer::MAPPED | IO::Buffer::SHARED)
        end
        self.value = -1 # nothing yet
      end

      def value = @memory.get_value(:S64, 0)

      def value=(number)
        @memory.set_value(:S64, 0, number)
      end

      def free = @memory.free
    end
  end
end
