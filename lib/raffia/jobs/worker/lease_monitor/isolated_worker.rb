# frozen_string_literal: true

require_relative "../../../process/dependent_process"
require_relative "../../../process/supervisor/hang_detector"
require_relative "../shared_metrics"

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # Slot for a process that runs suspects. Processes come and go; their metrics stay on the
        # slot's board.
        #
        # @api private
        class IsolatedWorker
          # Seconds between a dump, SIGTERM and SIGKILL of a process that hangs.
          GRACE = 2
          private_constant :GRACE

          # @return [Integer, nil] nil while there is no process
          attr_reader :pid
          # @return [Process::Supervisor::Scoreboard] that the process writes to
          attr_reader :board

          # @param board [Process::Supervisor::Scoreboard]
          # @param hang_timeout [Numeric, nil] seconds
          def initialize(board, hang_timeout)
            @board = board
            @hang_timeout = hang_timeout
            @hang = Process::Supervisor::HangDetector.new(board)
            SharedMetrics.idle(board)
          end

          # @yield in the process
          # @raise [SystemCallError] when no process can be forked
          def start(&)
            @board.reset
            @hang.forgive
            @pid = Process::DependentProcess.fork(&)
          end

          # @return [Process::Status, nil] once, when the process has ended
          def reap
            return unless @pid && ::Process.wait2(@pid, ::Process::WNOHANG)

            ended
          end

          # Waits until the process has ended.
          # @return [void]
          def join
            return unless @pid

            ::Process.wait(@pid)
            ended
          end

          # @param name [Symbol]
          def signal(name) = (::Process.kill(name, @pid) if @pid)

          # Ends a process that hangs. Its own monitor learns from the board that this was no crash.
          # @param now [Float]
          # @param awake_since [Float] before that no process could beat
          # @return [Symbol, nil] what was done: :dump, :TERM or :KILL
          def check_heartbeat(now, awake_since)
            return unless @pid && @hang_timeout

            step = @hang.step(now, awake_since, @hang_timeout, GRACE)
            @board.mark(:hung) if step == :KILL
            signal((step == :dump) ? :QUIT : step) if step
            step
          end

          private

          def ended
            @pid = nil
            SharedMetrics.idle(@board)
            $?
          end
        end
      end
    end
  end
end
