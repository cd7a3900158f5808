# frozen_string_literal: true

require_relative "../../../process/child_setup"
require_relative "../../../process/supervisor/hang_detector"
require_relative "../shared_metrics"

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # Slot for a process that runs suspects. Metrics stay on the slot's board.
        # @api private
        class IsolatedWorker
          # Seconds between a dump, SIGTERM and SIGKILL of a process that hangs.
          GRACE = 2
          private_constant :GRACE

          # Nil while there is no process.
          attr_reader :pid
          attr_reader :board

          def initialize(board, hang_timeout)
            @board = board
            @hang_timeout = hang_timeout
            @hang = Process::Supervisor::HangDetector.new(board)
            SharedMetrics.idle(board)
          end

          # Runs the block in a process. Raises SystemCallError.
          def start(&)
            @board.reset
            @hang.forgive
            @pid = Process::ChildSetup.fork(&)
          end

          # Returns its Process::Status, once, when the process has ended.
          def reap
            return unless @pid && ::Process.wait2(@pid, ::Process::WNOHANG)

            ended
          end

          def join
            return unless @pid

            ::Process.wait(@pid)
            ended
          end

          def signal(name) = (::Process.kill(name, @pid) if @pid)

          # Ends a process that hangs, and returns the step: :dump, :TERM or :KILL. Before
          # +awake_since+ no process could beat. The board tells its own monitor that it did not
          # crash.
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
