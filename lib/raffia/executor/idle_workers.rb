# frozen_string_literal: true

module Raffia
  module Executor
    # The workers without work, in the order in which they came. The last one is woken first: those
    # that are not needed then stay idle long enough to be dismissed.
    #
    # A timed wait costs a thread much more than an untimed one, so one thread has the timer for
    # all. Work does not wake it, and it ends when it finds no worker idle.
    class IdleWorkers
      # The wait of one worker. It is in the list until it is woken.
      class Entry < Thread::ConditionVariable
        attr_accessor :listed, :since, :dismissed
      end
      private_constant :Entry

      # The lock is held by callers of all methods. `timeout`: seconds until a worker is dismissed;
      # nil: never. `keep`: so many idle workers stay.
      def initialize(lock, timeout, keep: 0)
        @keep = keep
        @lock = lock
        @timeout = timeout
        @entries = []
        @count = 0
        @watcher = nil
        @closed = false
        @change = Thread::ConditionVariable.new
      end

      attr_reader :count

      # Waits until there is work (the block is false), or the worker is dismissed.
      def wait
        @count += 1
        entry = Entry.new
        entry.since = Clock.now if @timeout
        while !entry.dismissed && yield
          list(entry)
          entry.wait(@lock)
        end
      ensure
        @count -= 1
        @entries.delete(entry) if entry&.listed
      end

      def wake_one
        wake(@entries.pop) unless @entries.empty?
      end

      def wake_all = @entries.shift(@entries.size).each { |entry| wake(entry) }

      def close
        @closed = true
        wake_all
        @change.signal
      end

      private

      def list(entry)
        @entries << entry unless entry.listed
        entry.listed = true
        return unless @timeout

        # Fiber storage is inherited, and this thread serves others too.
        @watcher ||= ::Fiber.new(blocking: true, storage: {}) { Thread.new { watch } }.resume
      end

      def wake(entry)
        entry.listed = false
        entry.signal
      end

      def watch
        Thread.current.name = "raffia idle"
        Thread.current.report_on_exception = false
        @lock.synchronize do
          left = @timeout # a worker that came first may be at work by now, and idle again soon
          while left && !@closed
            @change.wait(@lock, left)
            left = dismiss
          end
          @watcher = nil
        end
      end

      # Seconds until the next one is dismissed; nil when no more are idle than stay.
      def dismiss
        while @entries.size > @keep
          left = @entries.first.since + @timeout - Clock.now
          return left if left.positive?

          wake(@entries.shift.tap { |entry| entry.dismissed = true })
        end
      end
    end
  end
end
