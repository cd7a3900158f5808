# frozen_string_literal: true

require "socket"

module Raffia
  class Server
    class Worker
      # A worker's part in moving connections. A thread in C sends idle connections to the queue of
      # the {ConnectionBalancer} while this worker computes; a fiber takes those of other workers.
      #
      # @api private
      class ConnectionMover
        # Seconds to wait where another worker may take the connection, or descriptors are short.
        PAUSE = 0.01
        EXHAUSTED = [Errno::EMFILE, Errno::ENFILE, Errno::ENOBUFS, Errno::ENOMEM].freeze
        private_constant :PAUSE, :EXHAUSTED

        def initialize(balancer, place, listeners, context, connections)
          @balancer = balancer
          @place = place
          @listeners = listeners
          @context = context
          @connections = connections
          @native = Native::ConnectionMover.new
          @numbers = listeners.each_with_index.to_h.compare_by_identity
          @kinds = listeners.map { |one| one.socket.is_a?(UNIXServer) ? UNIXSocket : TCPSocket }
          @limiter = context.admission.limiter
          @draining = @exhausted = false
          @task = nil
        end

        # Begins in the worker's loop, unless that is another scheduler's. Again after {hold}, too.
        def start(scope)
          return @native.accepting = true if @task
          return unless @native.start(@balancer.board, @place, @balancer.outgoing, own_sockets,
            @balancer.notify)

          @context.mover = self
          @limiter&.on_full { |full| @native.full = full }
          @native.receiving = true
          @task = scope.spawn { receive_all }
        end

        # Lets an idle connection be moved. `moved_at`: when it was last, or 0.
        def offer(stream, listener, address, moved_at)
          number = @numbers[listener] or return # the supervisor's own
          stream.let_move(@native, number, address, moved_at)
        end

        # The worker accepts no connections until {start}, for others neither.
        def hold = @native.accepting = false

        # The worker is about to close its listeners. Other workers receive from now on, if there
        # are any.
        def stop_accepting
          @draining = true
          hold
          @native.receiving = false
        end

        # At the end of a worker: continues connections that no other worker would take. Returns
        # whether there were any.
        def take_rest
          stop
          return false if @native.receiver?

          count = 0
          count += 1 while receive
          count.positive?
        end

        # Ends the thread.
        def stop
          @task&.cancel(:drain)
          socket, number = @native.stop(@kinds)
          @connections.open(socket, @listeners.fetch(number)) if socket
        end

        # Closes the queue's copies in a forked child, which would keep connections in it.
        def close_after_fork = @balancer.close

        private

        # Sockets from which no other worker accepts.
        def own_sockets
          @listeners.each_with_index.filter_map do |listener, number|
            [listener.socket, number] if listener.bind.tcp? && @context.options.reuse_port
          end
        end

        # Takes one connection at a time: others may be idle, too.
        def receive_all
          loop do
            @balancer.incoming.wait_readable
            @connections.await_capacity
            next sleep(PAUSE) if busy?

            sleep(@exhausted ? PAUSE : 0) if receive || @exhausted
          end
        end

        def busy? = @limiter&.full? || (@draining && @native.receiver?)

        # Returns whether there was a connection.
        def receive
          Native.receive_connection(@balancer.incoming, @kinds) do |socket, moved|
            @exhausted = false
            continue(socket, *moved)
          end
        rescue *EXHAUSTED => error
          unless @exhausted
            @context.log.error("takes no connections of other workers for now: #{error.message}")
          end
          @exhausted = true
          false
        end

        def continue(socket, number, address, served, moved_at, way, sender, established)
          listener = @listeners.fetch(number)
          unless sender == ::Process.pid
            @context.telemetry.counters.count(Observability::Metrics::Layout::MOVED.fetch(way))
          end
          return @connections.open(socket, listener, address) unless established

          @connections.continue(socket, listener, address, served, moved_at)
        end
      end
    end
  end
end
