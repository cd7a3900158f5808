# frozen_string_literal: true

require "socket"
require_relative "../process/supervisor/scoreboards"

module Raffia
  class Server
    # Shared by all worker processes so that connections can move between them: a queue of moved
    # connections, and a board with each worker's load. It is made before the first fork, and the
    # queue outlives every worker.
    #
    # @api private
    class ConnectionBalancer
      ROWS = Process::Supervisor::Scoreboards::ROWS
      private_constant :ROWS

      # Nil where nothing can move: a single process, Ractors, a system without the queue.
      def self.build(options, supervisor)
        return unless options.rebalance && options.most_workers > 1 && !options.ractors?

        new(supervisor.settings.max_workers).tap { |balancer| balancer.watch(supervisor) }
      rescue Errno::ENOSYS
        nil
      end

      # `outgoing` takes connections, `incoming` gives them. Workers write to `notify` when they
      # fall behind, and when they have caught up.
      attr_reader :board, :outgoing, :incoming, :notify

      def initialize(slots)
        @board = Native::LoadBoard.new(slots * ROWS)
        @outgoing, @incoming = Native.connection_queue
          .map { |descriptor| UNIXSocket.for_fd(descriptor) }
        @notices, @notify = ::IO.pipe
      end

      # The supervisor's turn follows, in which it asks {#behind?}.
      def watch(supervisor)
        supervisor.watch(@notices) { |notices| notices.read_nonblock(4096, exception: false) }
      end

      # The number of a worker on the board.
      def place(slot, row) = slot * ROWS + row

      def behind?(slot, row) = @board.behind?(place(slot, row))

      # Closes this process's copies.
      def close = [@outgoing, @incoming, @notify].each(&:close)
    end
  end
end
