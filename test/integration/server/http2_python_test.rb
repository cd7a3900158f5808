# frozen_string_literal: true

require_relative "server_case"
require "raffia/server/websocket"
require "support/python"

module Raffia
  # Python's h2, a state machine of its own that checks each frame that it receives.
  class ServerHTTP2PythonTest < ServerCase
    include TestSupport::Python

    CLIENT = <<~PYTHON
      import socket, sys, json
      import h2.connection, h2.config, h2.events
      sock = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=60)
      h2c = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
      h2c.initiate_connection()
      def send(): sock.sendall(h2c.data_to_send())
      def fields(method, path): return [(":method", method), (":scheme", "http"),
                                        (":authority", "localhost"), (":path", path),
                                        ("te", "trailers")]
      # Events until the function says that it is enough.
      def receive(take):
          while True:
              send()
              data = sock.recv(65536)
              assert data, "the server has closed"
              enough = False
              for event in h2c.receive_data(data):
                  if isinstance(event, h2.events.DataReceived):
                      h2c.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                  enough = take(event) or enough
              if enough:
                  send()
                  return
    PYTHON

    APP = lambda do |env|
      body = env["rack.input"]&.read.to_s
      env["raffia.response_trailers"]&.store("x-length", body.bytesize.to_s)
      [200, {"x-trailers" => env["raffia.trailers"]&.call.to_h["x-sum"].to_s}, [body]]
    end

    def setup = need_python("h2" => "python3-h2")

    # Interleaved, and each longer than the windows.
    def test_uploads_side_by_side_with_trailers
      script = CLIENT + <<~PYTHON
        body = {}; left = {}; heads = {}; trailers = {}; ended = set()
        for n in range(10):
            id = h2c.get_next_available_stream_id()
            h2c.send_headers(id, fields("POST", "/%d" % n))
            left[id] = bytes([65 + n]) * 200000
            body[id] = b""
        def push():
            for id in list(left):
                size = min(h2c.local_flow_control_window(id), h2c.max_outbound_frame_size,
                           len(left[id]))
                if size > 0:
                    h2c.send_data(id, left[id][:size])
                    left[id] = left[id][size:]
                if not left[id]:
                    h2c.send_headers(id, [("x-sum", str(id))], end_stream=True)
                    del left[id]
        events = h2.events
        def take(event):
            if isinstance(event, events.ResponseReceived):
                heads[event.stream_id] = dict(event.headers)
            if isinstance(event, events.DataReceived): body[event.stream_id] += event.data
            if isinstance(event, events.TrailersReceived):
                trailers[event.stream_id] = dict(event.headers)
            if isinstance(event, events.StreamEnded): ended.add(event.stream_id)
            assert not isinstance(event, (events.StreamReset, events.ConnectionTerminated)), event
            push()
            return len(ended) == 10
        push()
        receive(take)
        print(json.dumps([[heads[id][":status"], heads[id]["x-trailers"],
                           trailers[id]["x-length"], body[id] == bytes([65 + n]) * 200000]
                          for n, id in enumerate(sorted(body))]))
      PYTHON
      serve(APP) do |server|
        expected = Array.new(10) { |n| ["200", (n * 2 + 1).to_s, "200000", true] }
        assert_equal expected, python(script, server.port)
      end
    end

    def test_a_reset_of_the_client_leaves_the_others
      script = CLIENT + <<~PYTHON
        ended = set()
        for n in range(3):
            id = h2c.get_next_available_stream_id()
            h2c.send_headers(id, fields("POST", "/"))
        h2c.reset_stream(3)
        h2c.end_stream(1); h2c.end_stream(5)
        def take(event):
            if isinstance(event, h2.events.StreamEnded): ended.add(event.stream_id)
            return len(ended) == 2
        receive(take)
        h2c.ping(b"raffia!?")
        receive(lambda event: isinstance(event, h2.events.PingAckReceived))
        print(json.dumps(sorted(ended)))
      PYTHON
      serve(APP) { |server| assert_equal [1, 5], python(script, server.port) }
    end

    # RFC 8441: a text of two bytes that comes back, then the end.
    def test_a_websocket
      script = CLIENT + <<~PYTHON
        got = b""
        def take(event):
            global got
            if isinstance(event, h2.events.DataReceived): got += event.data
            return isinstance(event, h2.events.RemoteSettingsChanged)
        receive(take)
        assert h2c.remote_settings.enable_connect_protocol == 1
        h2c.send_headers(1, [(":method", "CONNECT"), (":protocol", "websocket"),
                             (":scheme", "http"), (":authority", "localhost"), (":path", "/"),
                             ("sec-websocket-version", "13")])
        receive(lambda event: isinstance(event, h2.events.ResponseReceived)
                              and dict(event.headers)[":status"] == "200")
        h2c.send_data(1, b"\\x81\\x82\\0\\0\\0\\0hi")
        receive(lambda event: take(event) or len(got) == 4)
        h2c.send_data(1, b"\\x88\\x82\\0\\0\\0\\0\\x03\\xe8")
        receive(lambda event: take(event) or isinstance(event, h2.events.StreamEnded))
        print(json.dumps(got.hex()))
      PYTHON
      app = lambda do |env|
        Raffia::Server::WebSocket.open(env, origins: :any) do |socket|
          socket.each { |message| socket.write(message.upcase) }
        end
      end
      %i[fibers threads].each do |execution|
        serve(app, execution:, websockets_over_http2: :native) do |server|
          assert_equal "81024849880203e8", python(script, server.port), execution
        end
      end
    end
  end
end
