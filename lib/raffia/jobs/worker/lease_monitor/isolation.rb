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
            @draining = false
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
          def look = reap.any? { |status| status.signaled? } && start

          # @return [void]
          def drain
            @draining = true
            reap
            @pids.each { |pid| ::Process.kill(:TERM, pid) }
          end

          # Waits until they have ended.
          # @return [void]
          def finish
            drain
            give_up = Clock.now + @patience
            sleep(INTERVAL) while running? && Clock.now < give_up
            @pids.each { |pid| ::Process.kill(:KILL, pid) }
            @pids.each { |pid| ::Process.wait(pid) }
          end

          private

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
            told = false
            stop = lambda do |_|
              told = true
              worker&.stop
            end
            Signals.with(chain: false, TERM: stop) do
              ::Process.setproctitle("raffia: runs suspects, one at a time")
              worker = @make.call(Parent.new(@board, monitor))
              worker.run unless told
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
