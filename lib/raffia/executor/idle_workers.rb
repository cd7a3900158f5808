# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  module Executor
    # The workers that have nothing to do, in the order in which they came to rest. Whoever rested
    # least is called first: those that are not needed then rest long enough to be sent home.
    #
    # None of them watches the clock, because waiting for some time costs a thread much more than
    # waiting. One thread does that for all; work that comes and goes does not wake it, and it ends
    # when it finds nobody at rest.
    #
    # @api private
    class IdleWorkers
      # What a worker waits for. It is in the list as long as it was not rung.
      class Bell < Thread::ConditionVariable
        attr_accessor :listed, :since, :home
      end
      private_constant :Bell

      # @param lock [Thread::Mutex] that whoever calls a method of this holds
      # @param patience [Numeric, nil] seconds after which a worker is sent home; nil: never
      def initialize(lock, patience)
        @lock = lock
        @patience = patience
        @bells = []
        @count = 0
        @watch = nil
        @closed = false
        @alarm = Thread::ConditionVariable.new
      end

      # @return [Integer] how many are here, those included that were called and have not got up yet
      attr_reader :count

      # Rest, until there is something to do or it is time to go home.
      # @yieldreturn [Boolean] whether there is nothing to do
      # @return [void]
      def rest
        @count += 1
        bell = Bell.new
        bell.since = Clock.now if @patience
        while !bell.home && yield
          hang(bell)
          bell.wait(@lock)
        end
      ensure
        @count -= 1
        @bells.delete(bell) if bell&.listed
      end

      # @return [void]
      def call_one
        ring(@bells.pop) unless @bells.empty?
      end

      # @return [void]
      def call_all = @bells.shift(@bells.size).each { |bell| ring(bell) }

      # Nobody will rest here any more.
      # @return [void]
      def close
        @closed = true
        call_all
        @alarm.signal
      end

      private

      def hang(bell)
        @bells << bell unless bell.listed
        bell.listed = true
        # Fiber storage is inherited, and this thread serves others too.
        if @patience
          @watch ||= ::Fiber.new(blocking: true, storage: {}) { Thread.new { watch } }.resume
        end
      end

      def ring(bell)
        bell.listed = false
        bell.signal
      end

      def watch
        Thread.current.name = "raffia idle"
        Thread.current.report_on_exception = false
        @lock.synchronize do
          left = @patience # whoever began to rest may be at work by now, and rest again soon
          while left && !@closed
            @alarm.wait(@lock, left)
            left = send_home
          end
          @watch = nil
        end
      end

      # @return [Numeric, nil] seconds until it is the next one's turn; nil when nobody rests
      def send_home
        until @bells.empty?
          left = @bells.first.since + @patience - Clock.now
          return left if left.positive?

          ring(@bells.shift.tap { |bell| bell.home = true })
        end
      end
    end
  end
end
