# frozen_string_literal: true

require_relative "../../process/supervisor/boards"
require_relative "keeper"
require_relative "lease_board"
require_relative "lease_monitor"
require_relative "meter"

module Raffia
  module Jobs
    class Worker
      # The lease monitor of a worker: starts it, and another one when it has died.
      #
      # @api private
      class Monitoring
        # @return [LeaseBoard]
        attr_reader :board
        # @return [String] of the worker's lease
        attr_reader :identity
        # @return [Array<Process::Supervisor::Board>] that {Meter}s of the processes for suspects
        #   write to
        attr_reader :isolated

        # @param concurrency [Integer] of the worker
        # @param log [Logger]
        # @param isolation [Hash] what {LeaseMonitor::Isolation} needs besides
        # @param service [Hash] what {LeaseMonitor::Service} needs besides
        def initialize(concurrency, log, isolation:, **service)
          @board = LeaseBoard.new(concurrency)
          @identity = Keeper.identity
          @log = log
          boards = Process::Supervisor::Boards.new([ISOLATED, concurrency].min, Meter::SIZE)
          @isolated = Array.new(boards.slots) { |slot| boards.board(slot) }
          @service = {**service, identity: @identity, isolation: {**isolation, boards: boards}}
          start
        end

        # @return [Integer, nil] pid
        def pid = @monitor&.pid

        # Starts another monitor when there is none any more.
        # @return [Boolean] whether there is one
        def look
          return true if @monitor&.alive?

          @log.warn({event: "lease monitor died", pid: pid})
          start
          !@monitor.nil?
        end

        # Has suspects run beside the worker.
        # @return [void]
        def isolate = @monitor.isolate

        # The worker is told to end. From any thread, and from a trap.
        # @return [void]
        def drain
          @board.leave
          @monitor&.drain
        end

        # The worker is told to end now. From any thread, and from a trap.
        # @return [void]
        def interrupt = @board.interrupt

        # The worker has ended.
        # @param seconds [Numeric] for those that run suspects, to end
        # @return [void]
        def close(seconds) = @monitor&.close(seconds)

        private

        def start
          @monitor = nil
          @monitor = LeaseMonitor.new(@board, @log, **@service)
        rescue SystemCallError, ThreadError => error
          @log.error({event: "no lease monitor", error: error.message})
        end
      end
    end
  end
end
