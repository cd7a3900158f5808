# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # Link of an isolated worker to its lease monitor, which supervises it.
        class SupervisorLink
          # The board of the isolated worker, and the pid of the lease monitor.
          attr_reader :board, :supervisor

          # The shared lease is that of the parent worker.
          def initialize(shared_lease, board, supervisor)
            @shared_lease = shared_lease
            @board = board
            @supervisor = supervisor
          end

          def beat = @board.beat

          def stop_reason
            stop_reason = @board.stop_reason
            (stop_reason == :none && @shared_lease.stopping?) ? :dismissed : stop_reason
          end
        end
      end
    end
  end
end
