# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "../../../base/signals"
require_relative "isolated_process"
require_relative "parent"

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # Processes in which suspects run, each with one job at a time: when one of them dies, it is
        # known which job it was. They end when there are no suspects left.
        #
        # @api private
        class Isolation
          # Seconds between two looks whether they have ended.
          INTERVAL = 0.05
          # Seconds after which a look that comes late says that all processes may have stood still.
          LATE = 3
          private_constant :INTERVAL, :LATE

          # @param board [LeaseBoard] of the worker beside which they run
          # @param log [Logger]
          # @param make [#call, nil] gets a {Parent}, and makes a worker that takes suspects only
          # @param boards [Process::Supervisor::Boards] a slot for each that there may be at a time
          # @param hang_timeout [Numeric, nil] seconds without a heartbeat after which one is killed
          # @param patience [Numeric] seconds that they have to end
          def initialize(board, log, make:, boards:, hang_timeout:, patience:)
            @board = board
            @log = log
            @make = make
            @patience = patience
            @processes = Array.new(make ? boards.slots : 0) do |slot|
              IsolatedProcess.new(boards.board(slot), hang_timeout)
            end
            @draining = @interrupted = false
            @awake = @looked = Clock.now
          end

          # As many as there may be.
          # @return [void]
          def start
            reap
            @processes.each { |process| spawn(process) unless process.pid } unless @draining
          rescue SystemCallError => error
            @log.error({event: "suspects wait", why: "no process can be started for them",
              error: error.message})
          end

          # Takes note of those that have ended, and replaces those that died. Ends those that hang.
          # @return [void]
          def look
            start if reap.any?(&:signaled?)
            check_heartbeats(Clock.now)
            interrupt
          end

          # No more are started, and each has its timeout to end.
          # @return [void]
          def drain
            return if @draining

            @draining = true
            signal(:TERM)
          end

          # Waits until they have ended.
          # @yield again and again meanwhile
          # @return [void]
          def finish
            drain
            give_up = Clock.now + @patience
            while running? && Clock.now < give_up
              yield
              interrupt
              sleep(INTERVAL)
            end
            signal(:KILL)
            @processes.each(&:join)
          end

          private

          # Their suspects are interrupted, when the worker is told to end now.
          def interrupt
            return if @interrupted || !@board.interrupting?

            @interrupted = true
            drain
            signal(:USR1)
          end

          def signal(name)
            reap
            @processes.each { |process| process.signal(name) }
          end

          # One that drains has its patience, and no other time limit.
          def check_heartbeats(now)
            @awake = now if now - @looked > LATE
            @looked = now
            return if @draining

            @processes.each do |process|
              done = process.check_heartbeat(now, @awake) or next
              @log.error({event: "isolated worker hangs", pid: process.pid, done: done})
            end
          end

          def spawn(process)
            monitor = ::Process.pid
            process.start do
              work(Parent.new(@board, process.board, monitor))
            rescue Exception => error # standard:disable Lint/RescueException
              @log.error({event: "isolated worker failed",
                error: error.full_message(highlight: false)})
              raise
            end
          end

          def work(parent)
            worker = nil
            # systemd sends TERM as well as the monitor. A second stop would interrupt the suspect.
            stop = ->(*) { worker&.stop unless worker&.stopping? }
            interrupt = lambda do |_|
              next unless @board.interrupting?

              stop.call
              worker&.stop
            end
            Signals.with(chain: false, TERM: stop, USR1: interrupt, QUIT: ->(_) { Raffia.dump }) do
              ::Process.setproctitle("raffia: runs suspects, one at a time")
              worker = @make.call(parent)
              # The signal may have come before the handler.
              worker.run unless @board.leaving?
            end
          end

          def running?
            reap
            @processes.any?(&:pid)
          end

          # @return [Array<Process::Status>] of those that have ended
          def reap = @processes.filter_map(&:reap)
        end
      end
    end
  end
end
