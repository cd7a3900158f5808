# frozen_string_literal: true

require_relative "acceptor"

module Raffia
  class Server
    class Worker
      # The acceptors of a worker: one per listener, and some for sockets of a worker that is down.
      #
      # @api private
      class AcceptorGroup
        def initialize(listeners, context, connections)
          @listeners = listeners
          @context = context
          @connections = connections
          @tasks = []
          @running = false
        end

        attr_writer :scope

        # Again after {stop}, too.
        def start
          return if @running

          @running = true
          @tasks = @listeners.map { |listener| @scope.spawn { acceptor(listener).run } }
        end

        def stop
          @running = false
          @tasks.each { |task| task.cancel(:drain) }
        end

        # Accepts what the kernel has queued, after {stop}.
        def accept_queued
          @tasks.each(&:join)
          @listeners.each do |listener|
            listener.accept_queued(@context.options) do |socket|
              @connections.open(socket, listener)
            end
          end
        end

        # Accepts what waits in sockets of another worker, then closes them. Refuses while an
        # earlier adoption runs: the supervisor asks another worker then.
        def adopt(sockets)
          return sockets.each(&:close) if !@running || @tasks.size > @listeners.size

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
