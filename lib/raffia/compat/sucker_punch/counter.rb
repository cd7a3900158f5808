# frozen_string_literal: true

require_relative "concurrent_map"

module SuckerPunch
  # Counters of each queue: running, processed and failed jobs.
  module Counter
    # A thread-safe number.
    class AtomicInteger
      def initialize
        @value = 0
        @lock = Thread::Mutex.new
      end

      # @return [Integer]
      attr_reader :value

      # @return [Integer] the new value
      def add(change) = @lock.synchronize { @value += change }
    end

    # A counter of one queue.
    class QueueCounter
      # @return [void]
      def self.clear = self::COUNTER.clear

      # @return [AtomicInteger]
      attr_reader :counter

      # @param queue_name [String]
      def initialize(queue_name)
        @counter = self.class::COUNTER[queue_name]
      end

      # @return [Integer]
      def value = @counter.value

      # @return [Integer] the new value
      def increment = @counter.add(1)

      # @return [Integer] the new value
      def decrement = @counter.add(-1)
    end

    # Running jobs.
    class Busy < QueueCounter
      COUNTER = ConcurrentMap.new { AtomicInteger.new }
    end

    # Jobs that have ended.
    class Processed < QueueCounter
      COUNTER = ConcurrentMap.new { AtomicInteger.new }
    end

    # Jobs that raised.
    class Failed < QueueCounter
      COUNTER = ConcurrentMap.new { AtomicInteger.new }
    end
  end
end
