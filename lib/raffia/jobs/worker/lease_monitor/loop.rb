# frozen_string_literal: true

require_relative "../../../process/child_setup"
require_relative "../../../process/output_buffers"
require_relative "isolated_workers"
require_relative "worker_process"

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # Loop of a lease monitor, in its process: takes commands from the worker, watches the
        # isolated workers, renews the lease when the worker is late, and reports the worker's
        # death. Ends when no suspect runs any more.
        # @api private
        class Loop
          # Commands, a byte each.
          ISOLATE = "i"
          DRAIN = "d"
          INTERVAL = 0.5
          # Share of the lease after which the monitor renews it.
          LATE = 0.5
          RETRY_INTERVAL = 0.5
          private_constant :INTERVAL, :LATE, :RETRY_INTERVAL

          # The worker is a pid, commands come from an IO.
          def initialize(worker, shared_lease, commands, log, store:, identity:, liveness:,
            lenient:, isolation:)
            @worker = WorkerProcess.new(worker, liveness, lenient)
            @shared_lease = shared_lease
            @commands = commands
            @log = log
            @store = store
            @identity = identity
            @isolated = IsolatedWorkers.new(shared_lease, log, **isolation)
            @checked_at = Clock.now
          end

          # Never returns. Closes +ready+ when it runs.
          def run(ready)
            # A terminal, and systemd, signal the whole group: the worker decides when to end.
            stop = %i[INT TERM HUP].to_h { |name| [name, ->(_) { @stop_signaled = true }] }
            Signals.with(chain: false, **stop, **ignored) do
              Process::OutputBuffers.discard
              Process::ChildSetup.settle_streams
              ::Process.setproctitle("raffia: lease of #{@worker.pid}")
              ready.close
              monitor
            end
            ::Process.exit!(0)
          rescue Exception => error # standard:disable Lint/RescueException
            @log.error({event: "lease monitor failed", error: error.full_message(highlight: false)})
            ::Process.exit!(1)
          end

          private

          def ignored = %i[QUIT USR1 USR2 TTIN TTOU TSTP].to_h { |name| [name, ->(_) {}] }

          def monitor
            check while listen && @worker.alive?
            report_death unless @shared_lease.token.zero?
            @shared_lease.mark_stopping
            # A supervisor that kills a worker does not wait for suspects either.
            @isolated.finish do
              @shared_lease.mark_interrupting if !@worker.alive? && @worker.dismissed?
            end
          end

          # Returns false when the worker has closed its end.
          def listen
            return true unless @commands.wait_readable(INTERVAL)

            commands = @commands.read_nonblock(64)
            @isolated.drain if commands.include?(DRAIN)
            @isolated.start if commands.include?(ISOLATE)
            true
          rescue EOFError
            false
          end

          def check
            @isolated.check
            # A suspended worker may stay so for ever: its jobs are for others.
            return unless @worker.running?

            observe
            return unless late?

            @worker.report_progress
            renew
          end

          # A late check counts as a short one, because this process was suspended as well.
          def observe
            now = Clock.now
            @shared_lease.observed += [now - @checked_at, 2 * INTERVAL].min
            @checked_at = now
          end

          def late?
            !@shared_lease.token.zero? &&
              Clock.now - @shared_lease.renewed_at >= @shared_lease.ttl * LATE
          end

          def renew
            @shared_lease.renewed if @store.renew(lease)
          rescue StoreUnavailable
            nil
          end

          def lease
            Lease.new(identity: @identity, token: @shared_lease.token, ttl: @shared_lease.ttl)
          end

          # No other process knows which jobs had begun, so it retries until the lease has expired.
          def report_death
            begun = charged? ? @shared_lease.begun : []
            deadline = Clock.now + @shared_lease.ttl
            begin
              log_death(@store.report_death(lease, begun), begun)
            rescue StoreUnavailable
              sleep(RETRY_INTERVAL)
              retry if Clock.now < deadline
            end
          end

          # A worker that stops may be killed for its delay, which is no job's fault unless it hung.
          def charged?
            @worker.hung? || !(@stop_signaled || @shared_lease.stopping? || @worker.dismissed?)
          end

          def log_death(recovered, begun)
            return if recovered.empty?

            @log.warn({event: "worker died", pid: @worker.pid,
              **(@worker.hung? ? {hung: true} : {}), jobs: recovered.size,
                       begun: begun.size, jids: recovered.first(20).map(&:jid).join(" ")})
            recovered.select(&:dead).each do |job|
              @log.error({event: "buried", jid: job.jid, queue: job.queue, crashes: job.crashes,
                why: "its worker died under it once too often"})
            end
          end
        end
      end
    end
  end
end
