# frozen_string_literal: true

require_relative "server_case"
require "digest"
require "support/http2/connection"

module Raffia
  # haproxy speaks HTTP/2 with the server, and either version with clients. (nginx can do so for
  # gRPC alone: see the test of gRPC.)
  class ServerHTTP2ProxiesTest < ServerCase
    CONFIG = <<~CONF
      defaults
        mode http
        timeout connect 5s
        timeout client 60s
        timeout server 60s
        http-reuse always
      frontend h1
        bind 127.0.0.1:%{h1}
        default_backend app
      frontend h2
        bind 127.0.0.1:%{h2} proto h2
        default_backend app
      backend app
        server one 127.0.0.1:%{back} proto h2
    CONF
    APP = lambda do |env|
      env["raffia.response_trailers"]&.store("x-trailer", "1")
      body = env["rack.input"]&.read.to_s
      [200, {"x-protocol" => env["SERVER_PROTOCOL"], "content-type" => "text/plain"},
        [body.empty? ? "hello" : Digest::SHA256.hexdigest(body)]]
    end

    def test_requests_and_uploads_by_http_1
      data = Random.new(3).bytes(5_000_000)
      behind_haproxy do |h1, _|
        Net::HTTP.start("127.0.0.1", h1) do |http|
          response = http.get("/")
          assert_equal ["200", "HTTP/2", "hello"],
            [response.code, response["x-protocol"], response.body]
          assert_equal Digest::SHA256.hexdigest(data), http.put("/", data).body
          assert_equal "200", http.head("/").code
        end
        codes = Array.new(4) do
          ::Thread.new do
            Net::HTTP.start("127.0.0.1", h1) { |http| Array.new(100) { http.get("/").code } }
          end
        end
        assert_equal({"200" => 400}, codes.flat_map(&:value).tally)
      end
    end

    def test_trailers_by_http_2
      behind_haproxy do |_, h2|
        TestSupport::HTTP2::Connection.open(h2) do |client|
          response = client.get(1, fields: [%w[te trailers]])
          assert_equal [200, "hello", [%w[x-trailer 1]]],
            [response.status, response.body, response.trailers]
        end
      end
    end

    private

    def behind_haproxy
      haproxy = need_program("haproxy")
      h1, h2 = Array.new(2) { TestSupport::Daemon.free_port }
      serve(APP) do |server|
        conf = format(CONFIG, h1:, h2:, back: server.port)
        TestSupport::Daemon.run(haproxy, "-f", "conf", port: h1, files: {"conf" => conf}) do
          yield h1, h2
        end
      end
    end
  end
end
