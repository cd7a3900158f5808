# frozen_string_literal: true

require_relative "server_case"
require "digest"
require "support/proxies"

module Raffia
  # Behind the proxies that people put before a Ruby server. A proxy that cannot use our response
  # says 502 or 504.
  class ServerProxiesTest < ServerCase
    include TestSupport::Proxies

    CONFIG = <<~'RUBY'
      require "raffia/server/websocket"
      require "raffia/server/event_stream"
      require "digest"
      connections = {}
      run lambda { |env|
        case env["PATH_INFO"]
        when "/socket"
          Raffia::Server::WebSocket.open(env) do |socket|
            socket.each { |message| socket.write(message.upcase) }
          end
        when "/events"
          Raffia::Server::EventStream.open(env) do |stream|
            3.times { |n| stream.write(n) && sleep(0.01) }
          end
        when "/sum" then [200, {}, [Digest::SHA256.hexdigest(env["rack.input"].read)]]
        when "/stream"
          [200, {}, ->(stream) { 100.times { |n| stream.write("#{n} " * 1000) } && stream.close }]
        when "/head" then [200, {"content-length" => "1000"}, ["x" * 1000]]
        when "/nothing" then [304, {"etag" => '"1"'}, []]
        else
          via = env.values_at("HTTP_X_FORWARDED_FOR", "HTTP_HOST").join(" ")
          [200, {"x-via" => via}, ["hello"]]
        end
      }
    RUBY

    # Each test runs behind all proxies.
    {nginx: {buffering: "on"}, nginx_streaming: {buffering: "off"},
     haproxy: {}}.each do |proxy, settings|
      {answers: "each kind of answer comes through",
       uploads: "a big upload comes through, with a length and in chunks",
       sockets: "a WebSocket and an event stream come through",
       many: "thousands of requests over kept connections, and none is a 502"}.each do |name, says|
        define_method(:"test_#{proxy}_#{says.downcase.tr(" ", "_").delete(",")}") do
          need_gem "websocket-driver"
          behind(proxy, CONFIG, **settings) { |port, back| send(name, port, back) }
        end
      end
    end

    private

    def answers(port, _back)
      Net::HTTP.start("127.0.0.1", port) do |http|
        3.times do
          assert_equal ["200", "hello"],
            http.get("/").then { |response| [response.code, response.body] }
          assert_equal Array.new(100) { |n| "#{n} " * 1000 }.join, http.get("/stream").body
          assert_equal ["200", "1000"], http.head("/head")
            .then { |response| [response.code, response["content-length"]] }
          assert_equal ["304", '"1"'], http.get("/nothing")
            .then { |response| [response.code, response["etag"]] }
        end
        assert_equal "127.0.0.1 127.0.0.1:#{port}", http.get("/")["x-via"]
      end
    end

    def uploads(port, _back)
      data = Random.new(2).bytes(20_000_000)
      sum = Digest::SHA256.hexdigest(data)
      Net::HTTP.start("127.0.0.1", port) do |http|
        [{}, {"Transfer-Encoding" => "chunked"}, {"Expect" => "100-continue"}].each do |headers|
          request = Net::HTTP::Put.new("/sum", headers)
          request.body_stream = StringIO.new(data)
          request.content_length = data.bytesize unless headers.key?("Transfer-Encoding")
          assert_equal sum, http.request(request).body, headers
        end
      end
    end

    def sockets(port, _back)
      require "support/websocket_client"
      TestSupport::WebSocketClient.open(connect(port), url: "ws://127.0.0.1:#{port}/socket",
        headers: {"Origin" => "http://127.0.0.1:#{port}"}) do |client|
        ["hello", "x" * 100_000].each do |text|
          client.say(text)
          assert_equal text.upcase, client.hear
        end
        client.close
        assert_equal 1000, client.farewell.first
      end
      Net::HTTP.start("127.0.0.1", port) do |http|
        assert_equal "data: 0\n\ndata: 1\n\ndata: 2\n\n", http.get("/events").body
      end
    end

    def many(port, _back)
      codes = Array.new(8) do
        Thread.new do
          Net::HTTP.start("127.0.0.1", port) do |http|
            Array.new(250) { |n| http.get((n % 5).zero? ? "/head" : "/").code }
          end
        end
      end
      assert_equal({"200" => 2000}, codes.flat_map(&:value).tally)
    end
  end
end
