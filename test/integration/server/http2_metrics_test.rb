# frozen_string_literal: true

require_relative "server_case"
require "support/http2/attacks"

module Raffia
  # The metrics of HTTP/2 on the metrics page, counted by two worker processes.
  class ServerHTTP2MetricsTest < ServerCase
    FRAMES = TestSupport::HTTP2::Frames
    # Attacks by the kind that they are counted as.
    KINDS = {
      "rapid reset" => "resets", "PING flood" => "pings", "SETTINGS flood" => "settings",
      "resets that the server is made to send, by malformed requests" => "provoked_resets",
      "DATA of no bytes" => "empty_frames", "PRIORITY in circles" => "priorities",
      "CONTINUATION flood" => "continuations", "HPACK bomb" => "head",
      "long frames of unknown types" => "overhead",
      "WINDOW_UPDATE dribble" => "window_updates"
    }.freeze

    def setup
      super
      skip "built without libnghttp2" unless Native.http2?
    end

    def test_resets_by_side
      with_program do |port|
        8.times do
          connect(port) do |client|
            3.times { |n| open_request(client, n * 2 + 1) }
            client.write(*Array.new(3) { |n| FRAMES.rst_stream(n * 2 + 1) })
            client.request(7, fields: [["bad", "\0"]])
            assert_equal :protocol_error, client.take(:rst_stream, stream: 7).error
          end
        end
        await({"client" => 24, "server" => 8}) { counted("raffia_h2_resets_total", "side") }
      end
    end

    def test_abuse_by_kind
      with_program do |port|
        attacks = TestSupport::HTTP2::Attacks::ALL.to_h { |attack| [attack.name, attack] }
        KINDS.each_key do |name|
          2.times do
            connect(port, settings: attacks.fetch(name).settings) do |client|
              attacks.fetch(name).run(client)
              assert client.goaway_at_end, name
            end
          end
        end
        none = Server::Observability::Metrics::Layout::ABUSE.to_h { |kind| [kind, 0] }
        await({**none, **KINDS.values.to_h { |kind| [kind, 2] }}) do
          counted("raffia_h2_abuse_total", "kind")
        end
      end
    end

    private

    def with_program(&)
      @metrics = TestSupport::Daemon.free_port
      program("run ->(env) { [200, {}, [env[%q(rack.input)].read]] }", processes: 2,
        metrics: "tcp://127.0.0.1:#{@metrics}", &)
    end

    def connect(port, **, &) = TestSupport::HTTP2::Connection.open(port, **, &)

    # Its body does not come.
    def open_request(client, stream)
      client.request(stream, method: "POST", flags: [:end_headers])
    end

    # Connections add what they have counted when they end.
    def await(expected)
      found = nil
      wait_until { (found = yield) == expected }
    ensure
      assert_equal expected, found
    end

    def counted(name, label)
      page = Net::HTTP.get(URI("http://127.0.0.1:#{@metrics}/metrics"))
      page.scan(/^#{name}\{#{label}="(.*?)"\} (\d+)/).to_h.transform_values(&:to_i)
    end
  end
end
