# frozen_string_literal: true

module Raffia
  class Server
    module Observability
      # Measures once a second that the loop turns, how late it wakes a fiber, and garbage
      # collections.
      #
      # @api private
      class Heartbeat
        INTERVAL = 1.0

        # Time of the last beat, by {Clock}.
        attr_reader :at

        # `liveness` gets each `beat`.
        def initialize(counters, liveness, limiter, threads: nil, zombies: nil)
          @counters = counters
          @liveness = liveness
          @limiter = limiter
          @threads = threads
          @zombies = zombies
          @gc_runs, @gc_time = gc
          @at = Clock.now
        end

        def run
          loop do
            beat
            due = Clock.now + INTERVAL
            Waiter.nap(INTERVAL)
            @counters.set(:loop_lag, microseconds([Clock.now - due, 0].max))
          end
        end

        def beat
          @at = Clock.now
          @liveness&.beat
          @zombies&.sweep
          record_gc if RactorLocal.main? # the figures are the process's
          record_limiter if @limiter
          @counters.set(:longest_turn, microseconds(longest_turn))
        end

        def record_gc
          runs, time = gc
          @counters.count(:collections, runs - @gc_runs)
          @counters.count(:collection_microseconds, (time - @gc_time) / 1_000)
          @gc_runs = runs
          @gc_time = time
        end

        private

        def record_limiter
          @counters.set(:waiting, @limiter.waiting)
          @counters.set(:longest_wait, microseconds(@limiter.longest_wait))
          @counters.set(:occupancy, (@limiter.occupancy * 1000).round)
          return unless @threads

          @counters.set(:threads, @threads)
          @counters.set(:threads_busy, @limiter.admitted)
        end

        def gc = [::GC.count, ::GC.total_time]

        def longest_turn
          scheduler = Fiber.current_scheduler
          scheduler.respond_to?(:stats) ? scheduler.stats[:longest_turn] || 0 : 0
        end

        def microseconds(seconds) = (seconds * 1e6).round
      end
    end
  end
end
