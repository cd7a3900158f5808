# frozen_string_literal: true

require_relative "../connection/handshake"
require_relative "../protocols"

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
        end

        attr_accessor :scope

        def open(socket, listener, address = nil)
          first = listener.handshake? ? Connection::Handshake : Protocols::DEFAULT
          @counters.count(:accepted)
          start(first.new(@context, socket, listener, address))
        end

        # Continues a connection that another process has accepted; see
        # {HTTP1::Connection#continue}.
        def continue(socket, listener, address, served, moved_at)
          connection = Protocols::DEFAULT.new(@context, socket, listener, address)
          connection.continue(served, moved_at)
          start(connection)
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

        def start(connection)
          @tasks[connection] = nil
          @counters.change(:connections, 1)
          task = @scope.spawn do
            connection.run
            (connection = take_over(connection)).run while connection.successor
          ensure
            remove(connection)
          end
          @tasks[connection] = task if @tasks.key?(connection)
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
