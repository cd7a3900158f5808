# frozen_string_literal: true

require_relative "../connection/handshake"
require_relative "../protocols"
require_relative "client_connections"

module Raffia
  class Server
    class Worker
      # The open connections of a worker, a fiber each, and the wait for capacity.
      #
      # @api private
      class ConnectionSet
        include Enumerable

        def initialize(context)
          @context = context
          @counters = context.telemetry.counters
          @limit = context.options.max_connections
          @tasks = {}.compare_by_identity
          @capacity = nil
          @clients = ClientConnections.build(context.options, @counters.client_counts)
        end

        attr_accessor :scope

        def open(socket, listener, address = nil)
          client = enter(socket, listener, address) unless listener.proxied?
          return if client == false

          first = listener.handshake? ? Connection::Handshake : Protocols::DEFAULT
          @counters.count(:accepted)
          start(first.new(@context, socket, listener, address), socket, listener, client)
        end

        # Continues a connection that another process has accepted; see
        # {HTTP1::Connection#continue}. It counts, but is not refused.
        def continue(socket, listener, address, served, moved_at)
          connection = Protocols::DEFAULT.new(@context, socket, listener, address)
          connection.continue(served, moved_at)
          start(connection, socket, listener, @clients&.continue(address || Connection::LOCAL))
        end

        # Waits while there are `max_connections`. When all threads are taken and as many requests
        # wait, each ended request admits one connection: kept-alive ones must not lock out all
        # others.
        def await_capacity
          @capacity ||= ::Thread::Queue.new
          @capacity.pop if @context.crowded?
          @capacity.pop while @limit && @tasks.size >= @limit
        end

        def signal_capacity
          @capacity&.push(nil) if @capacity&.num_waiting&.positive?
        end

        def each(&) = @tasks.keys.each(&)

        # Cycles of all requests in flight. Safe in any thread.
        def cycles = flat_map(&:cycles)

        def size = @tasks.size

        def empty? = @tasks.empty?

        def cancel = @tasks.values.each { |task| task&.cancel(:drain) }

        private

        # `client`: see {ClientConnections#enter}.
        def start(connection, socket, listener, client)
          @tasks[connection] = nil
          @counters.change(:connections, 1)
          task = @scope.spawn do
            connection.run
            while connection.successor
              connection = take_over(connection)
              client ||= enter(socket, listener, connection.address) if listener.proxied?
              break if client == false

              connection.run
            end
          ensure
            remove(connection)
            @clients&.leave(client)
          end
          @tasks[connection] = task if @tasks.key?(connection)
        end

        # See {ClientConnections#enter}.
        def enter(socket, listener, address)
          client = @clients&.enter(address || Native.peer(socket) || Connection::LOCAL)
          if client == false
            @counters.count(:connections_limited)
            @clients.refuse(socket, listener.tls?)
          end
          client
        rescue SystemCallError, IOError
          nil # it is gone, and its fiber will see that
        end

        def take_over(connection)
          successor = connection.successor
          @tasks[successor] = @tasks.delete(connection)
          successor
        end

        def remove(connection)
          @tasks.delete(connection)
          @counters.change(:connections, -1)
          signal_capacity
        end
      end
    end
  end
end
