# frozen_string_literal: true

require_relative "acceptor"

module Raffia
  class Server
    class Worker
      # The acceptors of a worker: one for each of its listeners, and for a moment those of a worker
      # that is down.
      #
      # @api private
      class AcceptorGroup
        def initialize(listeners, context, connections)
          @listeners = listeners
          @context = context
          @connections = connections
        end

        def start(scope)
          @scope = scope
          @tasks = @listeners.map { |listener| scope.spawn { acceptor(listener).run } }
        end

        def stop = @tasks.each { |task| task.cancel(:drain) }

        # After {stop}: accepts the connections that the kernel has queued.
        def accept_queued
          @tasks.each(&:join)
          @listeners.each do |listener|
            listener.accept_queued(@context.options) do |socket|
              @connections.open(socket, listener)
            end
          end
        end

        # Accepts the connections that wait in sockets of another worker, and closes these. Refuses
        # while earlier ones wait for capacity: another worker is asked then.
        # @param sockets [Array<IO>] in the order of the listeners
        def adopt(sockets)
          return sockets.each(&:close) if @tasks.size > @listeners.size

          sockets.zip(@listeners) do |socket, listener|
            task = @scope.spawn do
              accept_once(listener, socket)
            ensure
              @tasks.delete(task)
            end
            @tasks << task unless socket.closed?
          end
        end

        private

        def acceptor(listener, ...) = Acceptor.new(listener, @context, @connections, ...)

        def accept_once(listener, socket)
          typed = listener.socket.class.for_fd(socket.fileno)
          typed.autoclose = false
          acceptor(listener, typed, once: true).run
        ensure
          socket.close
        end
      end
    end
  end
end
