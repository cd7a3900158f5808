# frozen_string_literal: true

require_relative "../../../process/dependent"
require_relative "../../../process/supervisor/hang_check"
require_relative "../meter"

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # A place for a process that runs suspects, seen from the lease monitor. Processes come and
        # go; their counts stay on the board of the place.
        #
        # @api private
        class IsolatedProcess
          # Seconds between a dump, SIGTERM and SIGKILL for one that hangs.
          GRACE = 2
          private_constant :GRACE

          # @return [Integer, nil] nil while there is none
          attr_reader :pid
          # @return [Process::Supervisor::Board] which the process writes to
          attr_reader :board

          # @param board [Process::Supervisor::Board]
          # @param hang_timeout [Numeric, nil] seconds
          def initialize(board, hang_timeout)
            @board = board
            @hang_timeout = hang_timeout
            @hang = Process::Supervisor::HangCheck.new(board)
            Meter.idle(board)
          end

          # @yield in the process
          # @raise [SystemCallError] when there can be no more processes
          def start(&)
            @board.still
            @hang.forgive
            @pid = Process::Dependent.fork(&)
          end

          # @return [Process::Status, nil] once, when it has ended
          def reap
            return unless @pid && ::Process.wait2(@pid, ::Process::WNOHANG)

            ended
          end

          # Waits until it has ended.
          # @return [void]
          def join
            return unless @pid

            ::Process.wait(@pid)
            ended
          end

          # @param name [Symbol]
          def signal(name) = (::Process.kill(name, @pid) if @pid)

          # Ends one that hangs. Its own monitor learns from the board that this was no crash.
          # @param now [Float]
          # @param awake [Float] before that nobody could beat
          # @return [Symbol, nil] what was done: :dump, :TERM or :KILL
          def check_heartbeat(now, awake)
            return unless @pid && @hang_timeout

            step = @hang.step(now, awake, @hang_timeout, GRACE)
            @board.mark(:hung) if step == :KILL
            signal((step == :dump) ? :QUIT : step) if step
            step
          end

          private

          def ended
            @pid = nil
            Meter.idle(@board)
            $?
          end
        end
      end
    end
  end
end
