# frozen_string_literal: true

# Fibers, for work that waits: 200 requests to a slow server over real sockets. Each answer takes
# half a second, and so do all of them together.
#
#     bin/raffia run examples/fibers.rb
#
# It prints how long that took, and how long it would have taken one after the other.

require "raffia"
require "socket"

REQUESTS = 200
DELAY = 0.5

Raffia.run do |scope|
  server = TCPServer.new("127.0.0.1", 0)
  port = server.addr[1]

  # The server: a task for each connection, in the same thread as its clients.
  serving = scope.spawn do
    loop do
      client = server.accept
      scope.spawn do
        request = client.gets
        sleep DELAY
        client.write("you said #{request}")
      ensure
        client.close
      end
    end
  end

  started = Raffia::Clock.now
  answers = Raffia.map(1..REQUESTS, on: :fibers, workers: REQUESTS) do |number|
    TCPSocket.open("127.0.0.1", port) do |socket|
      socket.puts(number)
      socket.read
    end
  end
  took = Raffia::Clock.now - started

  puts "#{answers.size} answers, the last one: #{answers.last.chomp}"
  puts format("one after the other: %.0f s; on fibers: %.1f s", REQUESTS * DELAY, took)
  serving.cancel("enough")
ensure
  server&.close
end
