# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Claims jobs as capacity allows, and waits for the store's notification when there are none.
      # The batch size adapts: slow starts halve it, because a job that waits here while another
      # computes is better claimed by another process.
      # @api private
      class Fetcher
        # Seconds after which the store is asked without a notification.
        POLL_INTERVAL = 15
        # Seconds to pause when notifications come without a job to claim.
        PAUSE = 0.01
        MAX_PAUSE = 0.1
        # Size of the first batch; the next one doubles if all jobs of the last one began within
        # this many seconds, else it is halved.
        FIRST_BATCH = 4
        START_TIME = 0.02
        private_constant :PAUSE, :MAX_PAUSE, :FIRST_BATCH, :START_TIME

        # Number of the claim in progress.
        attr_reader :claiming

        # The block stops the worker.
        def initialize(context, queues, &stop)
          @store = context.store
          @heartbeat = context.heartbeat
          @runner = context.runner
          @counts = context.logger.counts
          @backoff = context.backoff
          @maintenance = context.maintenance
          @queues = queues
          @stop = stop
          @closed = @notified = @suspects = @idle = false
          @give_up = -> { @closed }
          @pause = 0
          @batch = FIRST_BATCH
          @claims = 0
        end

        def run
          until @closed
            capacity = @runner.wait_for_capacity
            break if @closed

            fetch(capacity)
          end
        end

        # Runs suspects here, each while nothing else runs: there is no other process for them.
        def run_suspects
          @suspects = true
          @store.interrupt
        end

        def close
          @closed = true
          @runner.stop_waiting
          @store.interrupt
        end

        private

        def fetch(capacity)
          return fetch_suspect if @suspects

          limit = limit_of(capacity)
          claims = claim(limit, **(ahead?(capacity) ? {ahead: true} : {}))
          return wait if claims.empty?
          return release(claims) if @closed # meanwhile

          @pause = 0
          @notified = false
          @maintenance.busy
          start_batch(claims)
          return wait if lone?(claims, limit)

          sleep(0) # a store that never waits must not starve other fibers
        end

        # The worker was idle, and has claimed all there was: another claim would find nothing.
        def lone?(claims, limit)
          idle, @idle = @idle, false
          idle && claims.size < limit && @store.wait_reads_queues?
        end

        def start_batch(claims)
          started = Clock.now
          start(claims)
          slow = Clock.now - started > START_TIME
          @batch = slow ? (@batch / 2).clamp(1..) : (@batch * 2).clamp(..@runner.limit)
        end

        def fetch_suspect
          return unless @runner.wait_until_idle(POLL_INTERVAL) && !@closed

          claims = claim(1, suspects: true)
          claims.empty? ? @suspects = false : start(claims)
        end

        # A worker that found nothing may hold jobs for a moment whose rate opens soon, and keeps
        # half of its capacity for others.
        def ahead?(capacity) = @notified && capacity > 1

        def limit_of(capacity) = [ahead?(capacity) ? capacity / 2 : capacity, @batch].min

        def claim(limit, **kind)
          @claiming = @claims += 1
          found = @backoff.attempt(@give_up) do
            @counts.time_call("claim") do
              @store.claim(@heartbeat.lease, @queues.order, limit, **kind)
            end
          end || []
          @claiming = nil if found.empty?
          found
        end

        def release(claims) = @backoff.attempt { @store.release(claims, begun: false) }

        # The runner knows the claims from here on.
        def start(claims)
          @runner.start(claims)
        ensure
          @claiming = nil
        end

        # A notification without a job is common: another worker was faster, or a queue is paused.
        def wait
          return if @closed

          @maintenance.wake if @notified # a scheduled job may be due
          Waiter.nap(@pause) if @pause.positive?
          @notified = true
          at_once = @backoff.attempt(@give_up) { notified_at_once? }
          @pause = at_once ? (@pause * 2).clamp(PAUSE, MAX_PAUSE) : 0
          @idle = !at_once
        end

        def notified_at_once?
          started = Clock.now
          @store.wait(@queues.names, timeout: POLL_INTERVAL)
          Clock.now - started < PAUSE
        end
      end
    end
  end
end
