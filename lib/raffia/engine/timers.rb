# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  module Engine
    # The timers of the pure-Ruby engine: a binary heap ordered by time. One that is cancelled stays until it comes up, or until
    # the cancelled outnumber the others.
    #
    # @api private
    class Timers
      Timer = Struct.new(:at, :data)
      SLACK = 64
      private_constant :SLACK

      def initialize
        @heap = []
        @cancelled = 0
      end

      # @return [Integer] timers that will fire
      def size = @heap.size - @cancelled

      # @param at [Float] by {Clock.now}
      # @return [Timer]
      def add(at, data)
        timer = Timer.new(at, data)
        @heap.push(timer)
        rise(@heap.size - 1)
        timer
      end

      # @return [Boolean] false when it fired or was cancelled before
      def cancel(timer)
        return false unless timer.data

        timer.data = nil
        @cancelled += 1
        rebuild if @cancelled > SLACK && @cancelled > @heap.size / 2
        true
      end

      # @return [Float, nil] seconds until the next one, not below 0
      def pause
        pop while (first = @heap.first) && first.data.nil?
        first && [first.at - Clock.now, 0.0].max
      end

      # @return [Array<Object>] the data of all that are due, by time
      def expire
        now = Clock.now
        due = []
        while (first = @heap.first) && (first.data.nil? || first.at <= now)
          data = first.data
          pop
          next unless data
          first.data = nil
          due << data
        end
        due
      end

      private

      def pop
        first = @heap.first
        @cancelled -= 1 unless first.data
        last = @heap.pop
        return if @heap.empty?
        @heap[0] = last
        sink(0)
      end

      def rebuild
        @heap = @heap.select(&:data).sort_by!(&:at) # a sorted list is a heap
        @cancelled = 0
      end

      def rise(index)
        timer = @heap[index]
        while index.positive?
          parent = (index - 1) / 2
          break if @heap[parent].at <= timer.at
          @heap[index] = @heap[parent]
          index = parent
        end
        @heap[index] = timer
      end

      def sink(index)
        timer = @heap[index]
        while (child = smaller_child(index)) && @heap[child].at < timer.at
          @heap[index] = @heap[child]
          index = child
        end
        @heap[index] = timer
      end

      def smaller_child(index)
        left = 2 * index + 1
        return if left >= @heap.size
        right = left + 1
        (right < @heap.size && @heap[right].at < @heap[left].at) ? right : left
      end
    end
  end
end
