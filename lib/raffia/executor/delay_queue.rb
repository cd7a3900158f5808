# frozen_string_literal: true

module Raffia
  module Executor
    # Hands work back after a delay, so that no worker waits for it. One thread waits for all of it,
    # and only as long as there is some.
    class DelayQueue
      def initialize(&resume)
        @resume = resume
        @waiting = [] # times and work, by time
        @open = true
        @thread = nil
        @lock = Thread::Mutex.new
        @change = Thread::ConditionVariable.new
      end

      def add(work, seconds)
        @resume.call(work) unless keep(work, Clock.now + seconds)
      end

      # No more delays: all work is handed back at once from now on.
      def close
        waiting, thread = @lock.synchronize do
          @open = false
          @change.signal
          [@waiting.slice!(0..), @thread]
        end
        waiting.each { |_, work| @resume.call(work) }
        # It may be about to hand back work.
        thread&.join
      end

      private

      def keep(work, at)
        @lock.synchronize do
          return false unless @open

          index = @waiting.bsearch_index { |other, _| other > at } || @waiting.size
          @waiting.insert(index, [at, work])
          # Fiber storage is inherited, and this thread serves others too.
          @thread ||= ::Fiber.new(blocking: true, storage: {}) { Thread.new { serve } }.resume
          @change.signal
        end
      end

      def serve
        Thread.current.name = "raffia delays"
        Thread.current.report_on_exception = false
        while (work = take)
          @resume.call(work)
        end
      end

      def take
        @lock.synchronize do
          until @waiting.empty?
            left = @waiting.first.first - Clock.now
            return @waiting.shift.last if left <= 0

            @change.wait(@lock, left)
          end
          @thread = nil
        end
      end
    end
  end
end
