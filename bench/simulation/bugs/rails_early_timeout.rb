# frozen_string_literal: true

# rails#5423, fixed by 02b23355637: a thread is woken for a connection; another one takes it first,
# and the woken one raises its timeout error, long before the timeout. Fixed: wait for the rest.
module SimulationBench
  module RailsEarlyTimeout
    class Expired < StandardError; end

    class Pool
      LIMIT = 5

      def initialize
        @lock = Mutex.new
        @returned = ConditionVariable.new
        @idle = [:connection]
      end

      def with
        connection = @lock.synchronize { poll }
        yield connection
      ensure
        @lock.synchronize { checkin(connection) } if connection
      end

      private

      def poll
        @returned.wait(@lock, LIMIT) if @idle.empty?
        @idle.pop || raise(Expired)
      end

      def checkin(connection)
        @idle.push(connection)
        @returned.signal
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    class WaitingPool < Pool
      def poll
        limit = now + LIMIT
        while @idle.empty?
          rest = limit - now
          raise Expired unless rest.positive?

          @returned.wait(@lock, rest)
        end
        @idle.pop
      end
    end

    def self.run(pool)
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      users = Array.new(2) { Thread.new { 2.times { pool.with { sleep 0.0001 } } } }
      users.each(&:join)
    rescue Expired
      passed = Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
      SimulationBench.check(passed >= Pool::LIMIT, "timeout of 5 s raised after #{passed} s")
    end
  end

  model "rails_early_timeout", source: "rails#5423", fault: "a woken waiter loses and gives up",
    needs: %i[preempt time], buggy: ->(_sim) { RailsEarlyTimeout.run(RailsEarlyTimeout::Pool.new) },
    fixed: ->(_sim) { RailsEarlyTimeout.run(RailsEarlyTimeout::WaitingPool.new) }
end
