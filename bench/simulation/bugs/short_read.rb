# frozen_string_literal: true

# Classic: a client takes one read for one message; the server wrote it in two pieces. Fixed: read
# to the end of the line.
require "socket"

module SimulationBench
  module ShortRead
    def self.run(sim)
      sim&.network&.mtu = 3
      server = TCPServer.new("127.0.0.1", 0)
      thread = Thread.new { answer(server) }
      socket = TCPSocket.new("127.0.0.1", server.addr[1])
      message = yield socket
      thread.join
      SimulationBench.check(message == "value\n", "read #{message.inspect}")
    ensure
      socket&.close
      server&.close
    end

    def self.answer(server)
      socket = server.accept
      socket.sync = true
      %W[val ue\n].each { |part| socket.write(part) }
    ensure
      socket&.close
    end
  end

  model "short_read", source: "classic", fault: "one read taken for one message",
    needs: [:network], buggy: ->(sim) { ShortRead.run(sim) { |socket| socket.readpartial(100) } },
    fixed: ->(sim) { ShortRead.run(sim, &:gets) }
end
