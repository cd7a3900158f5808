# frozen_string_literal: true

module Raffia
  class Actor
    # Actors on threads, on a Ruby without a Fiber scheduler: a thread runs their timers instead of
    # a loop. The first timer starts it.
    #
    # @api private
    class TimerThreadGroup < ActorGroup
      Entry = Struct.new(:at, :call)
      private_constant :Entry

      def initialize
        super
        @entries = []
        @wake = Thread::Queue.new
        IntrospectionSocket.open_on_request
      end

      def fibers
        raise ConfigError, "actors on fibers need a Fiber scheduler as CRuby has it, which " \
          "this Ruby (#{RUBY_ENGINE}) does not have: use on: :threads"
      end

      def here? = false

      def later(&) = Executors::Threads.shared.reenter(&)

      # Timers may be armed and cancelled in any thread.
      def now = yield

      def alarm = self

      def arm(at, call)
        Entry.new(at, call).tap do |entry|
          @lock.hold { @entries << entry }
          start_thread
          @wake.push(true)
        end
      end

      def disarm(entry) = @lock.hold { @entries.delete(entry) }

      private

      def start_thread
        pool = @lock.hold { @pool ? nil : @pool = Pool.new(on: :threads, workers: 1, idle: nil) }
        pool&.submit { tick until closed? }
      end

      def tick
        soonest = @lock.hold { @entries.map(&:at).min }
        @wake.pop(timeout: soonest && [soonest - Clock.now, 0].max)
        due = @lock.hold { @entries.select { |entry| entry.at <= Clock.now } }
        due.each { |entry| fire(entry) }
      end

      def fire(entry)
        again = entry.call.call
        @lock.hold { again ? entry.at = again : @entries.delete(entry) }
      rescue => error
        disarm(entry)
        Actor.log_error("a timer failed", error)
      end

      def leave
        super
        @wake.push(true)
        @pool&.shutdown
      end
    end
  end
end
