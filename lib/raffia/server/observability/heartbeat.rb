# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../base/ractor_local"
require_relative "../../task"

module Raffia
  class Server
    module Observability
      # A fiber that says once a second that its loop turns, and how well: how late it was itself
      # woken is how long anybody waits here. It also counts what the collector takes.
      #
      # @api private
      class Heartbeat
        # Seconds.
        INTERVAL = 1.0

        # @param ledger [Metrics::Counters]
        # @param heart [#beat, nil] is told that the loop turns
        # @param gate [Admission::ConcurrencyLimiter, nil]
        # @param threads [Integer, nil] that requests may be on: as many as are inside of the gate
        #   are busy
        def initialize(ledger, heart, gate, threads: nil)
          @ledger = ledger
          @heart = heart
          @gate = gate
          @threads = threads
          @collections, @time = collected
          @at = Clock.now
        end

        # @return [Float] when it last beat, in {Clock}'s seconds
        attr_reader :at

        # For ever.
        def run
          loop do
            beat
            due = Clock.now + INTERVAL
            Waiter.nap(INTERVAL)
            @ledger.set(:loop_lag, micro([Clock.now - due, 0].max))
          end
        end

        # @return [void]
        def beat
          @at = Clock.now
          @heart&.beat
          note_collections if RactorLocal.main? # they are the process's, and so is the main Ractor
          note_line if @gate
          @ledger.set(:longest_turn, micro(longest_turn))
        end

        # @return [void]
        def note_collections
          collections, time = collected
          @ledger.count(:collections, collections - @collections)
          @ledger.count(:collection_microseconds, (time - @time) / 1_000)
          @collections = collections
          @time = time
        end

        private

        def note_line
          @ledger.set(:waiting, @gate.waiting)
          return unless @threads

          @ledger.set(:threads, @threads)
          @ledger.set(:threads_busy, @gate.inside)
        end

        def collected = [::GC.count, ::GC.total_time]

        def longest_turn
          scheduler = Fiber.current_scheduler
          scheduler.respond_to?(:stats) ? scheduler.stats[:longest_turn] || 0 : 0
        end

        def micro(seconds) = (seconds * 1e6).round
      end
    end
  end
end
