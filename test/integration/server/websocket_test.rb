# frozen_string_literal: true

require_relative "server_case"

module Raffia
  # WebSockets, with another implementation's client behind real sockets.
  class ServerWebSocketTest < ServerCase
    def setup
      need_gem "websocket-driver"
      require "support/websocket_client"
      require "raffia/server/websocket"
    end

    def test_text_and_bytes_go_both_ways
      echo do |server|
        dial(server) do |client|
          messages = ["hello", "žluťoučký kůň", "", "\x00\xFF".b, "x" * 125, "y" * 126,
            "z" * 70_000]
          messages.each { |message| client.say(message) }
          heard = messages.map { client.hear }
          assert_equal messages, heard
          assert_equal messages.map(&:encoding), heard.map(&:encoding)
        end
      end
    end

    def test_either_side_may_close_and_says_why
      seen = Thread::Queue.new
      app = socket_app do |socket|
        socket.each { |_| socket.close(4001, "enough") }
        seen << [socket.close_code, socket.close_reason, socket.read]
      end
      serve(app) do |server|
        dial(server) do |client|
          client.close(3001, "bye")
          assert_equal [3001, "bye"], client.farewell
        end
        assert_equal [3001, "bye", nil], seen.pop
        dial(server) do |client|
          client.say("anything")
          assert_equal [4001, "enough"], client.farewell
        end
      end
    end

    # Messages and the close that follows them come in one segment; the application answers each.
    def test_messages_in_front_of_a_close_are_read_and_answered_before_it
      seen = Thread::Queue.new
      app = socket_app do |socket|
        socket.each { |message| seen << message && socket.write("ack #{message}") }
        seen << socket.close_code
      end
      messages = (0...10).map { |number| "m#{number}" }
      serve(app) do |server|
        endings = {frame(8, "\x03\xE8bye") => 1000, frame(8) => 1000, "\x81\x02hi".b => 1002}
        endings.each do |ending, code|
          dial(server) do |client|
            client.io.write(messages.map { |message| frame(1, message) }.join + ending)
            assert_equal messages.map { |message| "ack #{message}" }, Array.new(10) { client.hear }
            assert_equal code, client.farewell.first
          end
          assert_equal [*messages, code], Array.new(11) { seen.pop }
        end
      end
    end

    # However the bytes are cut, and whatever stands between the messages.
    def test_frames_may_come_in_pieces
      bytes = frame(1, "a" * 125) + frame(9, "ping") + frame(2, "b" * 126, final: false) +
        frame(9, "") + frame(0, "c" * 70_000) + frame(1, "") + frame(8, "\x03\xE9")
      echo do |server|
        [1, 2, 7, bytes.bytesize].each do |size|
          dial(server) do |client|
            bytes[..400].scan(/.{1,#{size}}/mn) { |piece| client.io.write(piece) }
            client.io.write(bytes[401..])
            sizes = Array.new(3) { client.hear.bytesize }
            assert_equal [125, 70_126, 0], sizes, "pieces of #{size}"
            assert_equal [2, 1001], [client.pongs, client.farewell.first], "pieces of #{size}"
          end
        end
      end
    end

    def test_the_end_of_the_block_closes_and_an_error_says_so
      app = socket_app { |socket| raise "it broke" if socket.read == "break" }
      serve(app, log_level: :off) do |server|
        dial(server) { |client| assert_equal 1000, client.tap { client.say("end") }.farewell.first }
        dial(server) do |client|
          assert_equal 1011, client.tap { client.say("break") }.farewell.first
        end
      end
    end

    def test_writing_to_a_closed_one_is_an_error_and_pushing_is_not
      seen = Thread::Queue.new
      app = socket_app do |socket|
        socket.each { nil }
        seen << socket.push("late")
        begin
          socket.write("late")
        rescue Closed => error
          seen << error.message
          raise
        end
      end
      serve(app) do |server|
        dial(server) { |client| client.close && client.farewell }
        assert_equal false, seen.pop
        assert_match(/closed \(1000\)/, seen.pop)
      end
    end

    def test_a_peer_that_vanishes_ends_the_conversation
      seen = Thread::Queue.new
      serve(socket_app { |socket| seen << [socket.read, socket.close_code] }) do |server|
        dial(server, &:abandon)
        assert_equal [nil, 1006], seen.pop
      end
    end

    def test_a_silent_peer_is_asked_and_then_given_up
      seen = Thread::Queue.new
      serve(socket_app(ping: 1) { |socket| seen << [socket.read, socket.close_code] }) do |server|
        dial(server) do |client|
          client.receive until client.pings >= 2 # its answers keep it alive
          assert_empty seen
          assert_equal [nil, 1006], seen.pop # and now it says nothing
        end
      end
    end

    def test_violations_of_the_protocol_close_the_socket
      echo(max_message: 1000) do |server|
        {too_long: ["\x82\xFE\x03\xE9".b + "mask" + "x" * 1001, 1009],
         unmasked: ["\x81\x02hi", 1002],
         close_not_utf8: ["\x88\x83\0\0\0\0\x03\xE8\xFF", 1007], reserved: ["\xF1\x80mask", 1002],
         not_utf8: ["\x81\x81\0\0\0\0\xFF", 1007],
         fragmented_ping: ["\x09\x80mask", 1002]}.each do |name, (bytes, code)|
          dial(server) do |client|
            client.io.write(bytes.b)
            assert_equal code, client.farewell.first, name
          end
        end
      end
    end

    def test_a_text_that_is_none_is_refused_and_other_encodings_are_translated
      seen = Thread::Queue.new
      app = socket_app do |socket|
        socket.write("\xFF")
      rescue EncodingError => error
        seen << error.message
        socket.write("k\xF9\xF2".dup.force_encoding("ISO-8859-2"))
      end
      serve(app) do |server|
        dial(server) { |client| assert_equal "kůň", client.hear }
      end
      assert_match(/send bytes as message.b/, seen.pop)
    end

    def test_a_slow_reader_blocks_write_but_not_push
      state = Thread::Queue.new
      app = socket_app(backlog: 100_000) do |socket|
        refused = 0
        refused += 1 until refused == 1 || !socket.push("x" * 50_000)
        state << :full
        300.times { socket.write("y" * 50_000) } # more than kernels keep
        state << :written
        socket.read
      end
      serve(app) do |server|
        dial(server) do |client|
          client.io.setsockopt(:SOCKET, :RCVBUF, 64 * 1024)
          assert_equal :full, state.pop
          assert_empty state # waits for us
          heard = []
          heard << client.hear[0] until heard.count("y") == 300
          assert_equal :written, state.pop
          assert_equal heard.sort, heard
          client.close
        end
      end
    end

    def test_a_reader_that_stands_still_is_given_up
      seen = Thread::Queue.new
      app = socket_app(backlog: 100_000, write_timeout: 0.2) do |socket|
        loop { socket.write("x" * 50_000) }
      rescue Closed => error
        seen << error.message << [socket.close_code, socket.close_reason]
        raise
      end
      serve(app) do |server|
        dial(server) do
          assert_match(/reads nothing/, seen.pop)
          assert_equal [1006, "the peer has gone"], seen.pop
        end
      end
    end

    def test_the_fibers_of_a_thread_share_a_socket
      app = socket_app do |socket|
        Scope.open do |scope|
          4.times do |number|
            scope.spawn { 50.times { |index| socket.write("#{number}:#{index}" + "." * 9_000) } }
          end
        end
      end
      serve(app) do |server|
        dial(server) do |client|
          heard = Array.new(200) { client.hear.split(":").map(&:to_i) }
          assert_equal Array.new(4) { [*0...50] },
            heard.group_by(&:first).sort.map { |_, pairs| pairs.map(&:last) }
        end
      end
    end

    def test_a_request_that_is_none_gets_an_answer
      app = ->(env) {
        Server::WebSocket.open(env, origins: (env["PATH_INFO"] == "/strict") ?
          ["https://good.example"] : nil) { nil }
      }
      serve(app) do |server|
        good = {"Connection" => "keep-alive, Upgrade", "Upgrade" => "websocket",
                "Sec-WebSocket-Version" => "13", "Sec-WebSocket-Key" => "dGhlIHNhbXBsZSBub25jZQ=="}
        status = lambda do |path, headers|
          lines = headers.compact.map { |name, value| "#{name}: #{value}\r\n" }.join
          socket = connect(server)
          socket.write("GET #{path} HTTP/1.1\r\nHost: here.example\r\n#{lines}\r\n")
          socket.gets[/\d{3}/].to_i
        ensure
          socket.close
        end
        assert_equal 101, status["/", good]
        # Apache's mod_proxy writes it so.
        assert_equal 101, status["/", good.merge("Upgrade" => "WebSocket")]
        several = {"Upgrade" => "a, WEBSOCKET", "Connection" => "UPGRADE"}
        assert_equal 101, status["/", good.merge(several)]
        assert_equal 426, status["/", {}]
        assert_equal 426, status["/", good.merge("Sec-WebSocket-Version" => "8")]
        assert_equal 400, status["/", good.merge("Sec-WebSocket-Key" => "short")]
        assert_equal 403, status["/", good.merge("Origin" => "https://evil.example")]
        assert_equal 101, status["/", good.merge("Origin" => "https://here.example")]
        assert_equal 403, status["/strict", good.merge("Origin" => "https://here.example")]
        assert_equal 101, status["/strict", good.merge("Origin" => "https://good.example")]
      end
    end

    def test_subprotocols_and_headers
      app = ->(env) {
        Server::WebSocket.open(env, protocols: %w[b c],
          headers: {"set-cookie" => "a=1"}) do |socket|
          socket.write(socket.protocol)
        end
      }
      serve(app) do |server|
        dial(server, protocols: %w[a c b]) do |client|
          assert_equal %w[c c], [client.hear, client.protocol]
        end
      end
    end

    def test_rack_lint_finds_nothing_and_is_not_in_the_way
      need_gem "rack"
      require "rack/lint"
      app = Rack::Lint.new(socket_app(ping: 1) { |socket|
        socket.each { |message| socket.write(message) }
      })
      serve(app) do |server|
        dial(server) do |client|
          client.say("hello")
          assert_equal "hello", client.hear
          client.receive until client.pings > 0
          client.close
          assert_equal 1000, client.farewell.first
        end
      end
    end

    def test_a_peer_that_never_pauses_does_not_starve_others
      heard = Thread::Queue.new
      app = ->(env) {
        if env["PATH_INFO"] == "/"
          HELLO.call(env)
        else
          Server::WebSocket.open(env) { |socket| socket.each { heard << true } }
        end
      }
      serve(app) do |server|
        flood(server) do
          10_000.times { heard.pop }
          3.times do
            assert_equal "hello", Net::HTTP.start("127.0.0.1", server.port,
              read_timeout: PATIENCE * 2) { |http| http.get("/").body }
          end
        end
      end
    end

    def test_a_peer_that_never_pauses_is_given_up_when_it_does_not_answer_a_close
      ended = Thread::Queue.new
      app = lambda do |env|
        status, headers, body = Server::WebSocket.open(env) { |socket| socket.read }
        [status, headers, ->(stream) { body.call(stream).then { ended << true } }]
      end
      serve(app) { |server| flood(server) { assert ended.pop(timeout: PATIENCE * 2) } }
    end

    def test_a_server_that_stops_says_goodbye
      seen = Thread::Queue.new
      app = socket_app do |socket|
        socket.each { nil }
        seen << socket.close_code
      end
      server = Server.start(app)
      dial(server) do |client|
        client.say("here")
        stopping = Thread.new { server.stop }
        assert_equal [1001, "going away"], client.farewell
        client.receive until client.io.closed? || client.io.eof?
        stopping.join
      end
      assert_equal 1001, seen.pop
    end

    # Not until it would have been asked: at once.
    def test_a_peer_that_does_not_answer_a_close_is_given_up
      seen = Thread::Queue.new
      app = socket_app(ping: 600) do |socket|
        Scope.open do |scope|
          scope.spawn { sleep(0.1) && socket.close(4000, "enough") }
          seen << [socket.read, socket.close_code]
        end
      end
      serve(app) do |server|
        dial(server) do # which reads nothing
          assert_equal [nil, 1006], seen.pop
        end
      end
    end

    # The old worker says goodbye to its sockets, and returning clients reach the new one.
    def test_workers_that_are_replaced_say_goodbye_too
      config = <<~RUBY
        require "raffia/server/websocket"
        run lambda { |env|
          Raffia::Server::WebSocket.open(env) do |socket|
            socket.write(Process.pid.to_s) && socket.each { nil }
          end
        }
      RUBY
      program(config, processes: 2) do |port, daemon|
        clients = Array.new(6) { TestSupport::WebSocketClient.new(connect(port)) }
        pids = clients.map(&:hear)
        ::Process.kill(:HUP, daemon.pid)
        assert_equal [[1001, "going away"]],
          clients.map { |client| Thread.new { client.farewell } }.map(&:value).uniq, daemon.log
        dial(port) { |client| refute_includes pids, client.hear }
      ensure
        clients&.each(&:abandon)
      end
    end

    def test_arguments_of_open
      assert_refused("WebSocket.open needs a block: the conversation") do
        Server::WebSocket.open({})
      end
      refute Server::WebSocket.request?({"REQUEST_METHOD" => "POST", "HTTP_UPGRADE" => "websocket",
        "HTTP_CONNECTION" => "upgrade"})
      status, = Server::WebSocket.open({"REQUEST_METHOD" => "GET", "HTTP_UPGRADE" => "WebSocket",
        "HTTP_CONNECTION" => "upgrade",
        "HTTP_SEC_WEBSOCKET_VERSION" => "13",
        "HTTP_SEC_WEBSOCKET_KEY" => "dGhlIHNhbXBsZSBub25jZQ=="}) { nil }
      assert_equal 501, status # a server that cannot
    end

    private

    def socket_app(**options, &block) = ->(env) { Server::WebSocket.open(env, **options, &block) }

    def echo(**options, &)
      serve(socket_app(**options) { |socket| socket.each { |message| socket.write(message) } }, &)
    end

    # A client's frame, masked.
    def frame(opcode, payload = "", final: true)
      key, size = [1, 2, 250, 4], payload.bytesize
      length = case size
      when ...126 then [128 | size].pack("C")
      when ...65_536 then [254, size].pack("CS>")
      else [255, size].pack("CQ>")
      end
      masked = payload.bytes.zip(key.cycle).map { |a, b| a ^ b }
      [opcode | (final ? 128 : 0)].pack("C") + length + [*key, *masked].pack("C*")
    end

    # Meanwhile another process sends messages as fast as it can.
    def flood(server)
      dial(server, url: "ws://localhost/socket") do |client|
        sender = 'frames = "\x81\x81mask\x0c".b * 10_000; socket = IO.for_fd(3); loop { ' \
          "socket.write(frames) }"
        pid = ::Process.spawn(RbConfig.ruby, "-e", sender, 3 => client.io, :err => File::NULL)
        yield
      ensure
        ::Process.kill(:KILL, pid)
        ::Process.wait(pid)
      end
    end

    def dial(server, **options, &)
      TestSupport::WebSocketClient.open(connect(server), **options, &)
    end
  end

  # The same from a thread of the application, which has no loop of its own. Those that wait for
  # seconds do so once.
  class ServerWebSocketOnThreadsTest < ServerWebSocketTest
    %i[
      test_a_peer_that_never_pauses_does_not_starve_others
      test_a_peer_that_never_pauses_is_given_up_when_it_does_not_answer_a_close
      test_a_peer_that_does_not_answer_a_close_is_given_up
      test_a_silent_peer_is_asked_and_then_given_up
      test_rack_lint_finds_nothing_and_is_not_in_the_way
      test_arguments_of_open
    ].each { |slow| undef_method(slow) }

    private

    def serve(app, **options, &) = super(app, execution: :threads, **options, &)
  end
end
