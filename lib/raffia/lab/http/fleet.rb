# frozen_string_literal: true

require "socket"
require_relative "../cell"
require_relative "server"

module Raffia
  module Lab
    class Http < Experiment
      # Several servers on one port, each with a loop of its own.
      module Fleet
        module_function

        # @param variant [Symbol]
        # @param workers [Integer]
        # @param host [Child::Host]
        # @return [Hash{Symbol => Integer}] the sums of what the servers counted
        def run(variant, workers, host)
          case variant
          when :one_loop then Server.new.run(nil, host)
          when :ractors_handed then hand_on(workers, host)
          when :ractors_sharing then share(:ractors, workers, host)
          when :processes then share(:processes, workers, host)
          end
        end

        # A worker that shares the port.
        #
        # @param slot [Array(Integer, Integer)] descriptors: of its listener, and of the pipe that
        #   says when to stop
        # @param server [Class] {Server}, or one like it
        # @return [Hash{Symbol => Integer}]
        def attend(slot, server)
          listener = TCPServer.for_fd(slot.first).tap { |copy| copy.autoclose = false }
          stop = IO.for_fd(slot.last, autoclose: false)
          server.new.attend(listener) { stop.gets }
        end

        # A worker that accepts nothing.
        #
        # @param slot [Integer] descriptor of the pipe through which connections come
        # @return [Hash{Symbol => Integer}]
        def adopt(slot) = Server.new.adopt(IO.for_fd(slot, "rb", autoclose: false))

        # Workers that share one port. The listeners are made and kept here: one that is closed
        # loses the connections in its queue.
        #
        # @param strategy [Symbol]
        # @param workers [Integer]
        # @param host [Child::Host]
        # @param server [Class]
        # @return [Hash{Symbol => Integer}] the sums of what the servers counted
        def share(strategy, workers, host, server: Server)
          listeners = [listener(0)]
          port = listeners.first.local_address.ip_port
          listeners << listener(port) while listeners.size < workers
          stops = listeners.map { IO.pipe }
          slots = listeners.zip(stops).map { |socket, (stop, _)| [socket.fileno, stop.fileno] }
          crew(slots, strategy, Work.new(Fleet, :attend, [server])) do
            host.announce(port: port)
            host.wait_for_stop
            stops.each { |_, tell| tell.puts }
          end
        end

        def hand_on(workers, host)
          listener = listener(0)
          inboxes = Array.new(workers) { IO.pipe(binmode: true) }
          crew(inboxes.map { |inbox, _| inbox.fileno }, :ractors,
            Work.new(Fleet, :adopt)) do |scope|
            accepting = scope.spawn do
              inboxes.cycle { |_, pipe| give(listener.accept.first, pipe) }
            end
            host.announce(port: listener.local_address.ip_port)
            host.wait_for_stop
            accepting.cancel
            inboxes.each { |_, pipe| pipe.close }
          end
        end

        # Runs a worker for each slot, and the block beside them.
        def crew(slots, strategy, work)
          Raffia.run do |scope|
            found = scope.spawn do
              Raffia.map(slots, on: strategy, workers: slots.size, chunk: 1, &work)
            end
            yield scope
            found.value.reduce { |sum, facts| sum.merge(facts) { |_, a, b| a + b } }
          end
        end

        # The descriptor is another Ractor's now, and must not be closed when this object is
        # forgotten.
        def give(client, pipe)
          client.autoclose = false
          pipe.write([client.fileno].pack("l"))
        end

        def listener(port)
          socket = Socket.new(:INET, :STREAM)
          socket.setsockopt(:SOCKET, :REUSEPORT, true)
          socket.bind(Addrinfo.tcp("127.0.0.1", port))
          socket.listen(Server::BACKLOG)
          socket
        end

        private_class_method :hand_on, :crew, :give, :listener
      end
    end
  end
end
