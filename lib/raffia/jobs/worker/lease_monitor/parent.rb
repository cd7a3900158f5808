# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # Stands above a worker for suspects, as a supervisor does above others.
        #
        # @api private
        class Parent
          # @return [Process::Supervisor::Board] of the process
          attr_reader :board
          # @return [Integer] pid of the lease monitor
          attr_reader :supervisor

          # @param leases [LeaseBoard] of the worker beside which it runs
          # @param board [Process::Supervisor::Board]
          # @param supervisor [Integer]
          def initialize(leases, board, supervisor)
            @leases = leases
            @board = board
            @supervisor = supervisor
          end

          # @return [void]
          def beat = @board.beat

          # @return [Symbol] see {Process::Supervisor::Board#wish}
          def wish
            wish = @board.wish
            (wish == :none && @leases.leaving?) ? :dismissed : wish
          end
        end
      end
    end
  end
end
