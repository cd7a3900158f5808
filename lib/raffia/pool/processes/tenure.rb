# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../process/memory"

module Raffia
  class Pool
    # How long one worker process may stay: so many items, so much memory of its own, so many
    # seconds. Looked at between chunks.
    #
    # @api private
    class Tenure
      # How many chunks a worker's items should make at least: what is left over for less than a
      # chunk is lost.
      SHARES = 8

      # @param options [Options]
      # @return [Integer, nil] the longest chunk that wastes little of a worker's time
      def self.chunk(options)
        options.max_tasks &&
          [options.chunk || options.max_tasks.ceildiv(SHARES), options.max_tasks].min
      end

      # @param options [Options]
      # @param pid [Integer] of a worker that was just born
      def initialize(options, pid)
        @options = options
        @pid = pid
        @tasks = 0
        @born = Clock.now if options.max_age
        # What it has from its parent is not its own.
        @least = Process::Memory.resident(pid) if options.max_memory
      end

      # @param count [Integer] of items that it was handed
      # @return [void]
      def add(count) = @tasks += count

      # @param count [Integer] of items that it would be handed next
      # @return [Boolean] whether somebody else should have them
      def over?(count)
        max = @options.max_tasks
        return true if max && @tasks + count > max && @tasks.positive?

        (@born && Clock.now - @born >= @options.max_age) ||
          (@least && grown > @options.max_memory) || false
      end

      private

      # It counts from the least that was seen: a child may free much of what it inherited, as
      # garbage, and fill the room again.
      def grown
        now = Process::Memory.resident(@pid) || @least
        @least = [@least, now].min
        now - @least
      end
    end
  end
end
