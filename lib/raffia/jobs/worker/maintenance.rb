# frozen_string_literal: true

require_relative "../error_reporter"

module Raffia
  module Jobs
    class Worker
      # Maintenance of the store, which each worker does for all: moves due jobs to their queues,
      # enqueues recurring jobs, recovers the jobs of workers that died, and prunes old data.
      # @api private
      class Maintenance
        PRUNE_INTERVAL = 600
        # Seconds between two readings of the schedule: while idle, and while too busy to wait for
        # notifications.
        IDLE_INTERVAL = 15
        BUSY_INTERVAL = 1

        # Runs a block again and again. {wake} makes it run earlier.
        class PeriodicTask
          # The block returns seconds until its next run, at most and by default +longest+.
          def initialize(backoff, longest:, first: 0, &block)
            @backoff = backoff
            @longest = longest
            @delay = first
            @block = block
            @last_run = Clock.now
            @waiter = nil
          end

          def run
            loop do
              wait(@delay) if @delay.positive?
              @last_run = Clock.now
              @delay = [@backoff.attempt(&@block), @longest].compact.min
              sleep(0) # lets other fibers run even when the next run is due at once
            end
          end

          # Runs the block now if it waits, and if so many seconds have passed since its last run.
          def wake(after: 0) = (@waiter.settle if @waiter && Clock.now - @last_run >= after)

          private

          def wait(seconds)
            @waiter = Waiter.new
            @waiter.wait(seconds)
          ensure
            @waiter = nil
          end
        end

        attr_reader :tasks

        # +recover+: seconds between two recoveries. The block runs suspects.
        def initialize(store, ticker, backoff, log, recover:, heartbeat:, counts:,
          &run_suspects)
          @store = store
          @counts = counts
          @log = log
          @heartbeat = heartbeat
          @run_suspects = run_suspects
          @promote = PeriodicTask.new(backoff, longest: IDLE_INTERVAL) do
            counts.time_call("promote") { store.promote(rates: false) }
          end
          @tick = PeriodicTask.new(backoff, longest: IDLE_INTERVAL) { ticker.call }
          # Also at once: a worker that starts after a crash often replaces the one that crashed.
          recovery = PeriodicTask.new(backoff, longest: recover) do
            recover_jobs && jitter(recover)
          end
          pruning = PeriodicTask.new(backoff, longest: PRUNE_INTERVAL,
            first: jitter(PRUNE_INTERVAL)) do
            counts.time_call("prune") { store.prune } && jitter(PRUNE_INTERVAL)
          end
          @tasks = [@promote, @tick, recovery, pruning]
        end

        # The store has notified, but had no job to claim: one may be due.
        def wake
          @promote.wake
          @tick.wake
        end

        # Jobs are claimed without a wait for notifications.
        def busy = @promote.wake(after: BUSY_INTERVAL)

        private

        # A worker that was suspended must not take its own lease, nor those of others on this
        # machine: each sends a heartbeat first.
        def recover_jobs
          return @heartbeat.beat_now if @heartbeat.overdue?

          @counts.time_call("recover") { @store.recover }.each { |job| log_recovered(job) }
          @run_suspects.call
          true
        end

        # The store does not tell the class.
        def count(job)
          @counts.count("crashed", job.queue, "")
          @counts.count("dead", job.queue, "", "crash") if job.dead
        end

        # Workers that started together do not come together each time.
        def jitter(seconds) = seconds * (0.75 + rand / 4)

        def log_recovered(job)
          count(job) if job.crashes&.positive?
          facts = {event: job.dead ? "buried" : "recovered", jid: job.jid, queue: job.queue,
                   crashes: job.crashes}
          return @log.warn(facts) unless job.dead

          @log.error(facts.merge(why: "its worker died under it once too often"))
          error = WorkerDied.new("its worker died #{job.crashes} times while it ran")
          ErrorReporter.new(@log).call(error, {"jid" => job.jid, "queue" => job.queue}, :dead)
        end
      end
    end
  end
end
