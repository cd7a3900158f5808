# frozen_string_literal: true

require "socket"
require_relative "../workload"
require_relative "../load"

module EngineBench
  # A TCP service, its load in another process. The connections are made, and each is warm, before
  # the measurement begins. settings: connections:
  class Server < Workload
    def measure(meter, warm:, operations:)
      listener = TCPServer.new("127.0.0.1", 0)
      listener.listen(Load::BACKLOG)
      @load = Load.new(self.class::PROTOCOL, listener.local_address.ip_port,
        @settings.fetch(:connections), warm:, operations:)
      @driver.run do
        spawn { @load.follow(meter) }
        accept(listener, @settings.fetch(:connections))
      end
      @load.finish(meter)
    end

    def facts(meter) = @load.facts(meter)

    private

    def accept(listener, connections)
      connections.times do
        socket = listener.accept
        spawn { converse(socket) }
      end
    end

    # Closed by the load, after its last request.
    def converse(socket)
      socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
      serve(socket)
    ensure
      socket.close
    end
  end
end
