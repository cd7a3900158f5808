# frozen_string_literal: true

require "logger"
require "raffia/server"
require_relative "../model"

module Simulations
  of "server/drain", covers: %w[server/worker/graceful_shutdown server/worker/connection_set
    server/http1/connection], preempt: :none, max_steps: 100_000 do
    model "a request that the application has begun gets its whole response", runs: 20 do
      begun = []
      body = "x" * (1 + choose(3) * 30_000)
      app = lambda do |env|
        begun << env["PATH_INFO"]
        sleep(choose(20) / 10.0)
        [200, {"content-length" => body.size.to_s}, [body]]
      end
      server = Raffia::Server.start(app, bind: "tcp://127.0.0.1:9000", logger: Logger.new(nil))
      answers = {}
      clients = (2 + choose(4)).times.map do |number|
        Thread.new do
          sleep(choose(20) / 10.0)
          socket = TCPSocket.new("127.0.0.1", 9000)
          socket.write("GET /#{number} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
          answers["/#{number}"] = socket.read
        rescue SystemCallError
          nil # refused, or closed before the request was taken
        ensure
          socket&.close
        end
      end
      sleep(choose(30) / 10.0)
      server.stop
      clients.each(&:join)
      begun.each do |path|
        check(answers[path].to_s.end_with?("\r\n\r\n#{body}"), "#{path} has no whole response")
      end
    end
  end
end
