# frozen_string_literal: true

require "logger"
require "raffia/server"
require_relative "../model"
require_relative "support/site"

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

    model "a body that is on its way when the server stops is read to its end", runs: 15 do
      site = Simulations::Site.new(sim)
      clients = Array.new(1 + choose(3)) do |number|
        pieces = Array.new(1 + choose(5)) { |index| "#{number}:#{index} " }
        Thread.new do
          sleep(choose(20) / 10.0)
          client = Simulations::Client.new("127.0.0.1", Simulations::Site::PORT)
          client.request("/#{number}", "", size: pieces.join.size)
          pieces.each do |piece|
            sleep(choose(40) / 10.0)
            client.write(piece)
          end
          [pieces.join, client.response]
        rescue SystemCallError
          [pieces.join, nil] # the application has not begun it
        ensure
          client&.close
        end
      end
      sleep(choose(40) / 10.0)
      site.stop
      clients.each_with_index do |client, number|
        body, response = client.value
        call = site.calls.find { |one| one.path == "/#{number}" }
        check_equal(call && [body, 200], call && [call.body, response&.status], "request #{number}")
        check_equal(call.nil?, response.nil?, "whether request #{number} has no response")
      end
      check_equal([0, 0, 0, 0], site.load, "what is left")
    end
  end
end
