# frozen_string_literal: true

require_relative "isolated_worker"
require_relative "supervisor_link"

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # Processes that run one suspect at a time each: when one dies, its job is known. They end
        # when there are no suspects left.
        # @api private
        class IsolatedWorkers
          # Seconds between two checks whether they have ended.
          INTERVAL = 0.05
          # Seconds without a check after which the whole machine may have been suspended.
          LATE = 3
          private_constant :INTERVAL, :LATE

          # +make+ gets a {SupervisorLink}, and makes a worker that takes suspects only; nil: there
          # are none. Times in seconds; +hang_timeout+ may be nil.
          def initialize(shared_lease, log, make:, boards:, hang_timeout:, grace:)
            @shared_lease = shared_lease
            @log = log
            @make = make
            @grace = grace
            @workers = Array.new(make ? boards.slots : 0) do |slot|
              IsolatedWorker.new(boards.board(slot), hang_timeout)
            end
            @draining = @interrupted = false
            @awake_since = @checked_at = Clock.now
          end

          def start
            reap
            @workers.each { |worker| spawn(worker) unless worker.pid } unless @draining
          rescue SystemCallError => error
            @log.error({event: "isolation failed", why: "no process can be started for them",
              error: error.message})
          end

          def check
            start if reap.any?(&:signaled?)
            check_heartbeats(Clock.now)
            interrupt
          end

          # Starts no more, and lets each end within its timeout.
          def drain
            return if @draining

            @draining = true
            signal(:TERM)
          end

          # Yields again and again meanwhile.
          def finish
            drain
            deadline = Clock.now + @grace
            while running? && Clock.now < deadline
              yield
              interrupt
              sleep(INTERVAL)
            end
            signal(:KILL)
            @workers.each(&:join)
          end

          private

          # When the parent worker stops now.
          def interrupt
            return if @interrupted || !@shared_lease.interrupting?

            @interrupted = true
            drain
            signal(:USR1)
          end

          def signal(name)
            reap
            @workers.each { |worker| worker.signal(name) }
          end

          # While they drain there is no other time limit.
          def check_heartbeats(now)
            @awake_since = now if now - @checked_at > LATE
            @checked_at = now
            return if @draining

            @workers.each do |worker|
              done = worker.check_heartbeat(now, @awake_since) or next
              @log.error({event: "isolated worker hangs", pid: worker.pid, done: done})
            end
          end

          def spawn(worker)
            monitor = ::Process.pid
            worker.start do
              run(SupervisorLink.new(@shared_lease, worker.board, monitor))
            rescue Exception => error # standard:disable Lint/RescueException
              @log.error({event: "isolated worker failed",
                error: error.full_message(highlight: false)})
              raise
            end
          end

          def run(link)
            worker = nil
            # systemd sends TERM as well as the monitor. A second stop would interrupt the suspect.
            stop = ->(*) { worker&.stop unless worker&.stopping? }
            interrupt = lambda do |_|
              next unless @shared_lease.interrupting?

              stop.call
              worker&.stop
            end
            Signals.with(chain: false, TERM: stop, USR1: interrupt, QUIT: ->(_) { Raffia.dump }) do
              ::Process.setproctitle("raffia: runs suspects, one at a time")
              worker = @make.call(link)
              # The signal may have come before the handler.
              worker.run unless @shared_lease.stopping?
            end
          end

          def running?
            reap
            @workers.any?(&:pid)
          end

          def reap = @workers.filter_map(&:reap)
        end
      end
    end
  end
end
