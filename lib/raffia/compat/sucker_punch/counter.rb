# frozen_string_literal: true

require_relative "concurrent_map"

module SuckerPunch
  # Counters of each queue: running, processed and failed jobs.
  module Counter
    class AtomicInteger
      def initialize
        @value = 0
        @lock = Thread::Mutex.new
      end

      attr_reader :value

      # The new value.
      def add(change) = @lock.synchronize { @value += change }
    end

    # A counter of one queue.
    class QueueCounter
      def self.clear = self::COUNTER.clear

      attr_reader :counter

      def initialize(queue_name)
        @counter = self.class::COUNTER[queue_name]
      end

      def value = @counter.value

      # The new value.
      def increment = @counter.add(1)

      # The new value.
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
