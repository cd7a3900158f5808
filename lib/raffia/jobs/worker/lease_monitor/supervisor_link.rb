# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # Link of an isolated worker to its lease monitor, which supervises it as a supervisor does
        # other workers.
        #
        # @api private
        class SupervisorLink
          # @return [Process::Supervisor::Scoreboard] of the isolated worker
          attr_reader :board
          # @return [Integer] pid of the lease monitor
          attr_reader :supervisor

          # @param shared_lease [SharedLease] of the parent worker
          # @param board [Process::Supervisor::Scoreboard]
          # @param supervisor [Integer]
          def initialize(shared_lease, board, supervisor)
            @shared_lease = shared_lease
            @board = board
            @supervisor = supervisor
          end

          # @return [void]
          def beat = @board.beat

          # @return [Symbol] see {Process::Supervisor::Scoreboard#stop_reason}
          def stop_reason
            stop_reason = @board.stop_reason
            (stop_reason == :none && @shared_lease.stopping?) ? :dismissed : stop_reason
          end
        end
      end
    end
  end
end
