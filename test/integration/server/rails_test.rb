# frozen_string_literal: true

require_relative "rails_case"

module Raffia
  # Rails with its cable, started by its own command.
  class ServerRailsTest < ServerRailsCase
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

    private

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
      FILES.merge("application.rb" => APPLICATION.sub("isolation_level = :fiber",
        "isolation_level = :thread"))
    end
  end
end
