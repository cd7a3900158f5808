# frozen_string_literal: true

module Raffia
  class Actor
    class Host
      # Where actors on threads live on a Ruby without a Fiber scheduler: there is no loop, and a
      # thread keeps their timers, which the first of these starts.
      #
      # @api private
      class Clockwork < Household
        Entry = Struct.new(:at, :call)
        private_constant :Entry

        def initialize
          super
          @entries = []
          @wake = Thread::Queue.new
        end

        # @raise [ConfigError]
        def fibers
          raise ConfigError, "actors on fibers need a Fiber scheduler as CRuby has it, which " \
            "this Ruby (#{RUBY_ENGINE}) does not have: use on: :threads"
        end

        def here? = false

        # Runs the block in a thread.
        # @return [void]
        def later(&) = Places::Threads.shared.reenter(&)

        # What is said of timers needs no turn here.
        # @return [void]
        def now = yield

        # @return [Clockwork] which is an {Alarm} to its timers
        def alarm = self

        # @return [Object] for {disarm}
        def arm(at, call)
          Entry.new(at, call).tap do |entry|
            @guard.hold { @entries << entry }
            begin_ticking
            @wake.push(true)
          end
        end

        # @return [void]
        def disarm(entry) = @guard.hold { @entries.delete(entry) }

        private

        def begin_ticking
          pool = @guard.hold { @pool ? nil : @pool = Pool.new(on: :threads, workers: 1, idle: nil) }
          pool&.submit { tick until closed? }
        end

        def tick
          soonest = @guard.hold { @entries.map(&:at).min }
          @wake.pop(timeout: soonest && [soonest - Clock.now, 0].max)
          due = @guard.hold { @entries.select { |entry| entry.at <= Clock.now } }
          due.each { |entry| fire(entry) }
        end

        def fire(entry)
          again = entry.call.call
          @guard.hold { again ? entry.at = again : @entries.delete(entry) }
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
end
