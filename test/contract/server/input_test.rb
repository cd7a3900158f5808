# frozen_string_literal: true

require_relative "server_contract"

# Bodies of requests, as the app reads them.
module ServerInputTest
  TEXT = {"content-type" => "text/plain"}.freeze

  # @return [String] what the block makes of rack.input
  def reading(body, lint: true, chunked: false, **options, &block)
    app = ->(env) { [200, TEXT.dup, [block.call(env["rack.input"]).inspect]] }
    serve(app, lint: lint, **options) do |server|
      return server.post("/", body).body.force_encoding("UTF-8") unless chunked

      server.connect do |client|
        client.say("POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
        body.scan(/.{1,7}/m) { |piece| client.say("#{piece.bytesize.to_s(16)}\r\n#{piece}\r\n") }
        return client.say("0\r\n\r\n").answer.body
      end
    end
  end

  def test_a_body_is_read_as_from_an_io
    [false, true].each do |chunked|
      assert_equal "[\"hello world\", \"\"]",
        reading("hello world", chunked: chunked) { |input| [input.read, input.read] }
      assert_equal "[\"hello\", \" worl\", \"d\", nil]",
        reading("hello world", chunked: chunked) { |input| Array.new(4) { input.read(5) } }
      assert_equal "[\"a\\n\", \"b\\n\", \"c\", nil]",
        reading("a\nb\nc", chunked: chunked) { |input| Array.new(4) { input.gets } }
      assert_equal "\"a\\nb\\nc\"", reading("a\nb\nc", chunked: chunked) { |input|
        all = +"" and
          input.each { |piece| all << piece } && all
      }
    end
  end

  def test_nothing_is_a_length_too
    assert_equal "[\"\", \"x\", \"\", nil]",
      reading("x") { |input| [input.read(0), input.read(1), input.read(0), input.read(1)] }
  end

  def test_a_buffer_takes_what_is_read
    assert_equal "[\"hel\", \"lo\", nil, \"\"]", reading("hello") { |input|
      buffer = +"before"
      [input.read(3, buffer).dup, input.read(3, buffer).dup, input.read(3, buffer), buffer]
    }
  end

  def test_lines_may_be_limited_and_end_otherwise
    expected = "[\"abc\", \"\\n\", \"d;\", \"e\\nf\"]"
    assert_equal expected, reading("abc\nd;e\nf",
      lint: false) { |input|
      [input.gets("\n", 3), input.gets(5), input.gets(";"),
        input.gets(nil)]
    }
  end

  def test_a_line_end_may_come_in_two_parts
    begun = Thread::Queue.new
    app = lambda do |env|
      found = [env["rack.input"].read(2)]
      begun << true
      2.times { found << env["rack.input"].gets("\r\n") }
      [200, TEXT.dup, [found.inspect]]
    end
    serve(app, lint: false) do |server|
      server.connect do |client|
        client.say("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 11\r\n\r\na\nbc\r")
        begun.pop
        assert_equal '["a\\n", "bc\\r\\n", "de\\n\\r\\n"]', client.say("\nde\n\r\n").answer.body
      end
    end
  end

  def test_a_partial_read_returns_what_has_come
    assert_equal "[\"hel\", \"lo\", EOFError]", reading("hello", lint: false) { |input|
      [input.readpartial(3), input.readpartial(10),
        (input.readpartial(1) rescue $!.class)] # standard:disable Style/RescueModifier
    }
  end

  def test_a_body_can_be_read_again
    assert_equal "[\"hel\", \"hello\", \"hello\"]", reading("hello", lint: false) { |input|
      [input.read(3), input.rewind && input.read, input.rewind && input.read]
    }
  end

  def test_changes_of_a_body_do_not_reach_the_next_reader
    body = "0123456789" * 5_000
    [false, true].each do |chunked|
      assert_equal "[50001, true]", reading(body, lint: false, chunked: chunked) { |input|
        changed = input.read
        changed[0] = "changed"[0, 2]
        [changed.bytesize, input.rewind && (input.read == body)]
      }
    end
  end

  # Reads again what is buffered, whatever the client does.
  def test_reading_again_does_not_wait
    app = lambda do |env|
      input = env["rack.input"]
      input.read(5)
      input.rewind
      body = lambda do |stream|
        found = [stream.wait_readable(0).equal?(stream), stream.read_nonblock(5),
          stream.wait_readable(0)]
        stream.write(found.inspect)
        stream.close
      end
      [200, {}, body]
    end
    serve(app, lint: false) do |server|
      server.connect do |client|
        client.say("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 11\r\n\r\nhello")
        assert_equal '[true, "hello", nil]', client.answer.body
      end
    end
  end

  def test_a_long_body_can_be_read_again_where_that_was_asked_for
    body = "0123456789" * 30_000
    found = reading(body, lint: false, rewindable_input: true) { |input|
      first = input.read(100_000)
      input.rewind
      [input.read == body, first == body[0, 100_000], input.rewind && (input.read == body)]
    }
    assert_equal "[true, true, true]", found
  end

  def test_without_that_nothing_is_kept_of_it
    assert_equal "[300000, Errno::ESPIPE]", reading("0123456789" * 30_000, lint: false) { |input|
      [input.read.bytesize, (input.rewind rescue $!.class)] # standard:disable Style/RescueModifier
    }
  end

  def test_an_unread_body_is_skipped
    serve(->(_) { [200, TEXT.dup, ["x"]] }) do |server|
      server.connect do |client|
        assert_equal 200, client.post("/", "x" * 100_000).status
        assert_equal [200, nil], client.get.then { |answer| [answer.status, answer["connection"]] }
      end
    end
  end

  def test_the_rest_of_a_long_body_is_not_waited_for
    serve(->(_) { [200, TEXT.dup, ["x"]] }) do |server|
      server.connect do |client|
        client.say("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10000000\r\n\r\nbegin")
        assert_equal 200, client.answer.status
        assert client.ended?
      end
    end
  end

  def test_too_long_a_body_is_refused
    serve(->(env) { [200, TEXT.dup, [env["rack.input"].read]] }, max_body: 10) do |server|
      server.connect do |client|
        assert_equal [413, "close"], client.post("/", "x" * 11)
          .then { |answer| [answer.status, answer["connection"]] }
        assert client.ended?
      end
      assert_equal "x" * 10, server.post("/", "x" * 10).body
    end
  end

  def test_100_continue_is_sent_when_the_app_reads
    gate = Thread::Queue.new
    serve(->(env) { gate.pop && [200, TEXT.dup, [env["rack.input"].read]] }) do |server|
      server.connect do |client|
        client.say("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\nexpect: " \
          "100-continue\r\n\r\n")
        eventually { gate.num_waiting == 1 }
        assert_equal :wait_readable, client.socket.read_nonblock(1, exception: false)
        gate << true
        assert_equal 100, client.answer.status
        assert_equal "hello", client.say("hello").answer.body
        client.say("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello")
        gate << true
        assert_equal "hello", client.answer.body
      end
    end
  end

  def test_without_100_continue_the_body_need_not_come
    serve(->(_) { [401, TEXT.dup, ["no"]] }) do |server|
      server.connect do |client|
        client.say("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\nexpect: " \
          "100-continue\r\n\r\n")
        assert_equal 401, client.answer.status
        assert client.ended?
      end
    end
  end

  def test_rack_2_reads_and_rewinds
    app = lambda do |env|
      found = [env["rack.input"].read, env["rack.input"].rewind, env["rack.input"].read,
        env["rack.input"].gets, env["rack.input"].size]
      [200, {"Content-Type" => "text/plain"}, [found.inspect]]
    end
    serve(app, lint: false) { |server| assert_equal "[\"\", 0, \"\", nil, 0]", server.get.body }
  end

  ServerContract.run(self)
end
