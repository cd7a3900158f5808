# frozen_string_literal: true

# Classic: a lease ends at a time of the wall clock, which is set forward while the holder works; a
# second holder gets it. Fixed: the monotonic clock.
module SimulationBench
  module WallClockLease
    class Lease
      LENGTH = 60

      def initialize
        @lock = Mutex.new
        @ends = nil
      end

      def acquire
        @lock.synchronize { (@ends && now < @ends) ? false : @ends = now + LENGTH }
      end

      def release = @lock.synchronize { @ends = nil }

      private

      def now = Time.now.to_f
    end

    class MonotonicLease < Lease
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    def self.run(lease)
      holders = []
      threads = Array.new(2) { |number| Thread.new { work(lease, holders, number) } }
      threads.each(&:join)
    end

    def self.work(lease, holders, number)
      return unless lease.acquire

      holders.push(number)
      SimulationBench.check(holders.size == 1, "two holders of one lease")
      sleep 1
      holders.delete(number)
      lease.release
    end
  end

  model "wall_clock_lease", source: "classic", fault: "a lease by a clock that is set forward",
    needs: %i[fault time], stress: false, options: {faults: {clock: 0.05}},
    buggy: ->(_sim) { WallClockLease.run(WallClockLease::Lease.new) },
    fixed: ->(_sim) { WallClockLease.run(WallClockLease::MonotonicLease.new) }
end
