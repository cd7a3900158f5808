# frozen_string_literal: true

require_relative "table"

module SuckerPunch
  # How many jobs of each queue run, have been done, have failed.
  module Counter
    # A number that threads change.
    class Tally
      def initialize
        @value = 0
        @guard = Thread::Mutex.new
      end

      # @return [Integer]
      attr_reader :value

      # @return [Integer] the new value
      def add(change) = @guard.synchronize { @value += change }
    end

    # One queue's number.
    class Of
      # @return [void]
      def self.clear = self::COUNTER.clear

      # @return [Tally]
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

    # Jobs that run.
    class Busy < Of
      COUNTER = Table.new { Tally.new }
    end

    # Jobs that came to an end.
    class Processed < Of
      COUNTER = Table.new { Tally.new }
    end

    # Jobs that raised.
    class Failed < Of
      COUNTER = Table.new { Tally.new }
    end
  end
end
