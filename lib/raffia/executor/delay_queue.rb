# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  module Executor
    # Work of a long-lived pool that is to be tried again after a while, and that no worker should
    # wait for. One thread waits for all of it, and only as long as there is some.
    #
    # @api private
    class DelayQueue
      # @yieldparam work [Future] whose pause is over
      def initialize(&resume)
        @resume = resume
        @waiting = [] # times and work, by time
        @open = true
        @thread = nil
        @lock = Thread::Mutex.new
        @news = Thread::ConditionVariable.new
      end

      # @param seconds [Numeric]
      # @return [void]
      def add(work, seconds)
        @resume.call(work) unless keep(work, Clock.now + seconds)
      end

      # There are no pauses any more: what waits goes on at once, and so does what comes.
      # @return [void]
      def close
        waiting, thread = @lock.synchronize do
          @open = false
          @news.signal
          [@waiting.slice!(0..), @thread]
        end
        waiting.each { |_, work| @resume.call(work) }
        # It may be about to hand in what it was waiting with.
        thread&.join
      end

      private

      def keep(work, at)
        @lock.synchronize do
          return false unless @open

          @waiting.insert(@waiting.bsearch_index { |other, _| other > at } ||
            @waiting.size, [at, work])
          # Fiber storage is inherited, and this thread serves others too.
          @thread ||= ::Fiber.new(blocking: true, storage: {}) { Thread.new { serve } }.resume
          @news.signal
        end
      end

      def serve
        Thread.current.name = "raffia pauses"
        Thread.current.report_on_exception = false
        while (work = due)
          @resume.call(work)
        end
      end

      def due
        @lock.synchronize do
          until @waiting.empty?
            left = @waiting.first.first - Clock.now
            return @waiting.shift.last if left <= 0

            @news.wait(@lock, left)
          end
          @thread = nil
        end
      end
    end
  end
end
