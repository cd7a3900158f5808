# frozen_string_literal: true

require "socket"
require_relative "../cell"
require_relative "server"

module Raffia
  module Lab
    class Http < Experiment
      # Several servers on one port, each with a loop of its own. Counts are sums over the servers.
      module Fleet
        extend self

        # Returns the counts.
        def run(variant, workers, host)
          case variant
          when :one_loop then Server.new.run(nil, host)
          when :ractors_handed then distribute(workers, host)
          when :ractors_sharing then share(:ractors, workers, host)
          when :processes then share(:processes, workers, host)
          end
        end

        # A worker that shares the port. slot: descriptors of its listener, and of the pipe that
        # stops it. server: {Server}, or a class like it.
        def serve_shared(slot, server)
          listener = TCPServer.for_fd(slot.first).tap { |copy| copy.autoclose = false }
          stop = IO.for_fd(slot.last, autoclose: false)
          server.new.serve(listener) { stop.gets }
        end

        # A worker that accepts nothing: its connections come through a pipe of this descriptor.
        def serve_accepted(slot) = Server.new.serve_from(IO.for_fd(slot, "rb", autoclose: false))

        # Runs workers that share one port, and returns the counts. The listeners stay open here: a
        # listener that closes loses the connections in its queue.
        def share(strategy, workers, host, server: Server)
          listeners = [listener(0)]
          port = listeners.first.local_address.ip_port
          listeners << listener(port) while listeners.size < workers
          stops = listeners.map { IO.pipe }
          slots = listeners.zip(stops).map { |socket, (stop, _)| [socket.fileno, stop.fileno] }
          run_workers(slots, strategy, Work.new(Fleet, :serve_shared, [server])) do
            host.announce(port: port)
            host.wait_for_stop
            stops.each { |_, pipe| pipe.puts }
          end
        end

        private

        def distribute(workers, host)
          listener = listener(0)
          inboxes = Array.new(workers) { IO.pipe(binmode: true) }
          run_workers(inboxes.map { |inbox, _| inbox.fileno }, :ractors,
            Work.new(Fleet, :serve_accepted)) do |scope|
            accepting = scope.spawn do
              inboxes.cycle { |_, pipe| send_descriptor(listener.accept.first, pipe) }
            end
            host.announce(port: listener.local_address.ip_port)
            host.wait_for_stop
            accepting.cancel
            inboxes.each { |_, pipe| pipe.close }
          end
        end

        # Runs a worker for each slot, and the block meanwhile.
        def run_workers(slots, strategy, work)
          Raffia.run do |scope|
            workers = scope.spawn do
              Raffia.map(slots, on: strategy, workers: slots.size, chunk: 1, &work)
            end
            yield scope
            workers.value.reduce { |sum, facts| sum.merge(facts) { |_, a, b| a + b } }
          end
        end

        # The descriptor belongs to another Ractor, so garbage collection here must not close it.
        def send_descriptor(client, pipe)
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
      end
    end
  end
end
