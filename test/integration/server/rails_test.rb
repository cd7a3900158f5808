# frozen_string_literal: true

require_relative "rails_case"
require "support/http2/connection"

module Raffia
  # Rails with its cable, started by its own command.
  class ServerRailsTest < ServerRailsCase
    FRAMES = TestSupport::HTTP2::Frames

    def test_pages_streams_and_errors
      rails do |port, daemon|
        http(port) do |http|
          assert_match(/\Ahello from Rails 8/, http.get("/hello").body)
          assert_equal "0\n1\n2\n3\n4\n", http.get("/stream").body
          assert_equal "404", http.get("/nowhere").code
          assert_equal "500", http.get("/boom").code
          assert_match(/boom/, daemon.log)
          assert_equal "200", http.head("/hello").code
        end
      end
    end

    # Action Cable takes the socket away from us (rack.hijack) and drives it from threads of its
    # own.
    def test_action_cable
      require "support/websocket_client"
      rails do |port|
        clients = Array.new(3) do
          TestSupport::WebSocketClient.new(connect(port), url: "ws://127.0.0.1:#{port}/cable",
            protocols: ["actioncable-v1-json"])
        end
        room = JSON.generate(channel: "RoomChannel")
        clients.each do |client|
          assert_equal "actioncable-v1-json", client.protocol
          assert_equal "welcome", hear(client)["type"]
          client.say(JSON.generate(command: "subscribe", identifier: room))
          assert_equal "confirm_subscription", hear(client)["type"]
        end
        http(port) { |http| assert_equal "204", http.post("/say", "text=broadcast").code }
        assert_equal [{"text" => "broadcast"}] * 3, clients.map { |client| hear(client)["message"] }
        clients.first.say(JSON.generate(command: "message", identifier: room,
          data: JSON.generate(action: "speak", text: "from a client")))
        assert_equal [{"text" => "FROM A CLIENT"}] * 3,
          clients.map { |client| hear(client)["message"] }
      ensure
        clients&.each(&:abandon)
      end
    end

    # The same over HTTP/2: the cable's event loop gets one end of a pair of sockets.
    def test_action_cable_over_http2
      skip "built without libnghttp2" unless Native.http2?
      @config = "websockets_over_http2 :bridge\n"
      rails do |port|
        TestSupport::HTTP2::Connection.open(port) do |client|
          client.write(FRAMES.headers(1, connect_fields, flags: [:end_headers]))
          head = client.take(:headers, stream: 1).fields.to_h
          assert_equal %w[200 actioncable-v1-json],
            head.values_at(":status", "sec-websocket-protocol")
          assert_equal "welcome", hear_frame(client)["type"]
          room = JSON.generate(channel: "RoomChannel")
          say_frame(client, command: "subscribe", identifier: room)
          assert_equal "confirm_subscription", hear_frame(client)["type"]
          http(port) { |http| assert_equal "204", http.post("/say", "text=broadcast").code }
          assert_equal({"text" => "broadcast"}, hear_frame(client)["message"])
          say_frame(client, command: "message", identifier: room,
            data: JSON.generate(action: "speak", text: "from a client"))
          assert_equal({"text" => "FROM A CLIENT"}, hear_frame(client)["message"])
          assert_match(/\Ahello from Rails/, client.get(3, "/hello").body)
        end
      end
    end

    private

    def files = super.merge("raffia.rb" => @config.to_s)

    def connect_fields
      [[":method", "CONNECT"], [":protocol", "websocket"], [":scheme", "http"],
        [":path", "/cable"], [":authority", "localhost"], %w[sec-websocket-version 13],
        %w[sec-websocket-protocol actioncable-v1-json]]
    end

    # The mask is 0.
    def say_frame(client, **message)
      text = JSON.generate(message)
      client.write(FRAMES.data(1, [0x81, 0x80 | 126, text.bytesize, 0].pack("CCnN") << text,
        flags: []))
    end

    # Short ones, unmasked.
    def hear_frame(client)
      @bytes ||= "".b
      loop do
        @bytes << client.take(:data, stream: 1).content until @bytes.bytesize > 1 &&
            @bytes.bytesize >= 2 + @bytes.getbyte(1)
        message = JSON.parse(@bytes.slice!(0, 2 + @bytes.getbyte(1)).byteslice(2..))
        return message unless message["type"] == "ping"
      end
    end

    # Pings come between.
    def hear(client)
      loop do
        message = JSON.parse(client.hear ||
          flunk("the cable was closed: #{client.code} #{client.reason}"))
        return message unless message["type"] == "ping"
      end
    end
  end

  # The same for an application that wants threads.
  class ServerRailsOnThreadsTest < ServerRailsTest
    private

    def files
      super.merge("application.rb" => APPLICATION.sub("isolation_level = :fiber",
        "isolation_level = :thread"))
    end
  end
end
