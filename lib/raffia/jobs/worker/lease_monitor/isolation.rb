# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "../../../base/signals"
require_relative "../../../process/dependent"

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # Processes in which suspects run, each with one job at a time: when one of them dies, it is known which job it was. They end
        # when there are no suspects left.
        #
        # @api private
        class Isolation
          # Seconds between two looks whether they have ended.
          INTERVAL = 0.05
          private_constant :INTERVAL

          # Stands above a worker for suspects, as a supervisor does above others.
          Parent = Struct.new(:board, :supervisor) do
            # @return [void]
            def beat = nil

            # @return [Symbol] see {Process::Supervisor::Board#wish}
            def wish = board.leaving? ? :dismissed : :none
          end

          # @param board [LeaseBoard] of the worker beside which they run
          # @param log [Logger]
          # @param make [#call, nil] gets a {Parent}, and makes a worker that takes suspects only
          # @param most [Integer] how many there may be at a time
          # @param patience [Numeric] seconds that they have to end
          def initialize(board, log, make:, most:, patience:)
            @board = board
            @log = log
            @make = make
            @most = make ? most : 0
            @patience = patience
            @pids = []
            @draining = @interrupted = false
          end

          # As many as there may be.
          # @return [void]
          def start
            reap
            @pids << spawn while !@draining && @pids.size < @most
          rescue SystemCallError => error
            @log.error({event: "suspects wait", why: "no process can be started for them", error: error.message})
          end

          # Takes note of those that have ended, and replaces those that died.
          # @return [void]
          def look
            start if reap.any?(&:signaled?)
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
            @pids.each { |pid| ::Process.wait(pid) }
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
            @pids.each { |pid| ::Process.kill(name, pid) }
          end

          def spawn
            monitor = ::Process.pid
            Process::Dependent.fork do
              work(monitor)
            rescue Exception => error # standard:disable Lint/RescueException
              @log.error({event: "isolated worker failed", error: error.full_message(highlight: false)})
              raise
            end
          end

          def work(monitor)
            worker = nil
            # systemd sends TERM as well as the monitor. A second stop would interrupt the suspect.
            stop = ->(*) { worker&.stop unless worker&.stopping? }
            interrupt = lambda do |_|
              next unless @board.interrupting?

              stop.call
              worker&.stop
            end
            Signals.with(chain: false, TERM: stop, USR1: interrupt) do
              ::Process.setproctitle("raffia: runs suspects, one at a time")
              worker = @make.call(Parent.new(@board, monitor))
              # The signal may have come before the handler.
              worker.run unless @board.leaving?
            end
          end

          def running?
            reap
            @pids.any?
          end

          # @return [Array<Process::Status>] of those that have ended
          def reap
            ended = @pids.filter_map { |pid| ::Process.wait2(pid, ::Process::WNOHANG) }
            @pids -= ended.map(&:first)
            ended.map(&:last)
          end
        end
      end
    end
  end
end
