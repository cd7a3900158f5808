# frozen_string_literal: true

require_relative "../http1/connection"

module Raffia
  class Server
    class Worker
      # The open connections of a worker, each in a fiber, and the capacity for more.
      #
      # @api private
      class ConnectionSet
        include Enumerable

        def initialize(context)
          @context = context
          @limit = context.options.max_connections
          @tasks = {}.compare_by_identity
          @capacity = nil
        end

        # @return [Scope] in which connections are served
        attr_writer :scope

        # Serves a client that was accepted.
        # @param address [String, nil] of the client
        def open(socket, listener, address = nil)
          connection = HTTP1::Connection.new(@context, socket, listener, address)
          @tasks[connection] = nil
          @context.telemetry.connections(1)
          task = @scope.spawn do
            connection.run
          ensure
            remove(connection)
          end
          @tasks[connection] = task if @tasks.key?(connection)
        end

        # Waits while there are `max_connections`. While as many requests wait for a thread as there
        # are threads, one connection is accepted per request that ends: else connections that are
        # kept alive could keep all others out.
        def await_capacity
          @capacity ||= ::Thread::Queue.new
          @capacity.pop if @context.crowded?
          @capacity.pop while @limit && @tasks.size >= @limit
        end

        def signal_capacity
          @capacity&.push(nil) if @capacity&.num_waiting&.positive?
        end

        # @yieldparam connection [HTTP1::Connection]
        def each(&) = @tasks.keys.each(&)

        # @return [Integer]
        def size = @tasks.size

        def empty? = @tasks.empty?

        # Cancels all of them.
        def cancel = @tasks.values.each { |task| task&.cancel(:drain) }

        private

        def remove(connection)
          @tasks.delete(connection)
          @context.telemetry.connections(-1)
          signal_capacity
        end
      end
    end
  end
end
