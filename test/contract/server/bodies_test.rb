# frozen_string_literal: true

require_relative "server_contract"

# Bodies that are no Arrays.
module ServerBodiesTest
  TEXT = {"content-type" => "text/plain"}.freeze

  # A body that counts how often it is closed.
  class Body
    attr_reader :closed

    def initialize(*pieces, &block)
      @pieces = pieces
      @block = block
      @closed = 0
    end

    def each(&)
      @pieces.each(&)
      @block&.call
    end

    def close = @closed += 1
  end

  # The same, which can be had as an Array.
  class Gathered < Body
    def to_ary = @pieces.tap { close }
  end

  def test_pieces_are_sent_in_chunks
    body = Body.new("one", "", "two")
    serve(->(_) { [200, TEXT.dup, body] }) do |server|
      server.connect do |client|
        answer = client.get
        assert_equal ["onetwo", "chunked", nil],
          [answer.body, answer["transfer-encoding"], answer["content-length"]]
        assert_equal "onetwo", client.get.body
      end
      eventually { body.closed == 2 }
    end
  end

  def test_pieces_of_a_known_length_are_not
    serve(->(_) { [200, {"content-length" => "6"}, Body.new("one", "two")] }) do |server|
      answer = server.get
      assert_equal ["onetwo", nil, "6"],
        [answer.body, answer["transfer-encoding"], answer["content-length"]]
    end
  end

  def test_for_http_1_0_the_end_of_the_connection_is_the_end_of_the_body
    serve(->(_) { [200, TEXT.dup, Body.new("one", "two")] }) do |server|
      server.connect do |client|
        answer = client.say("GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n").answer
        assert_equal ["onetwo", nil, "close"],
          [answer.body, answer["transfer-encoding"], answer["connection"]]
      end
    end
  end

  def test_each_piece_is_sent_at_once
    gate = Thread::Queue.new
    serve(->(_) { [200, TEXT.dup, Body.new("first") { gate.pop }] }) do |server|
      server.connect do |client|
        client.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        assert_includes client.socket.readpartial(1000), "5\r\nfirst\r\n"
        gate << true
        assert_equal "0\r\n\r\n", client.read(5)
      end
    end
  end

  def test_large_pieces_arrive_whole
    serve(->(_) { [200, TEXT.dup, Body.new("a" * 100_000, "b", "c" * 1_000_000)] }) do |server|
      assert_equal ("a" * 100_000) + "b" + ("c" * 1_000_000), server.get.body
    end
  end

  def test_an_array_like_body_is_sent_whole_and_closes_itself
    body = Gathered.new("one", "two")
    serve(->(_) { [200, TEXT.dup, body] }, lint: false) do |server|
      assert_equal ["onetwo", "6"], server.get
        .then { |answer| [answer.body, answer["content-length"]] }
      assert_equal 1, body.closed
    end
  end

  def test_an_unwanted_body_is_only_closed
    body = Body.new { raise "asked for" }
    serve(->(_) { [200, TEXT.dup, body] }) do |server|
      server.connect do |client|
        assert_equal 200, client.get("/", method: "HEAD").status
        eventually { body.closed == 1 }
      end
    end
    assert_empty log
  end

  def test_a_body_that_is_too_long_ends_the_connection
    body = Body.new("one", "two")
    serve(->(_) { [200, {"content-length" => "4"}, body] }, lint: false) do |server|
      server.connect do |client|
        client.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        assert client.rest.end_with?("\r\n\r\none")
      end
      assert_match(/longer than its content-length of 4/, log)
      assert_equal 1, body.closed
    end
  end

  def test_a_body_that_is_too_short_ends_the_connection
    serve(->(_) { [200, {"content-length" => "7"}, Body.new("one", "two")] },
      lint: false) do |server|
      server.connect do |client|
        client.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        assert client.rest.end_with?("\r\n\r\nonetwo")
      end
      assert_match(/6 bytes, which is short of its content-length of 7/, log)
    end
  end

  def test_a_body_that_raises_ends_the_connection_without_the_last_chunk
    body = Body.new("one") { raise "broken" }
    serve(->(_) { [200, TEXT.dup, body] }) do |server|
      server.connect do |client|
        client.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        assert client.rest.end_with?("3\r\none\r\n")
      end
      assert_match(/broken/, log)
      assert_equal 1, body.closed
    end
  end

  def test_a_body_that_raises_before_its_first_piece_is_answered_with_500
    body = Body.new { raise "broken" }
    serve(->(_) { [200, TEXT.dup, body] }) do |server|
      server.connect { |client| assert_equal([500, 500], Array.new(2) { client.get.status }) }
      assert_match(/broken/, log)
      assert_equal 2, body.closed
    end
  end

  def test_a_client_that_leaves_in_the_middle_closes_the_body_quietly
    pieces = 0
    body = Body.new
    body.define_singleton_method(:each) do |&block|
      loop { (pieces += 1) && block.call("x" * 10_000) }
    end
    serve(->(_) { [200, TEXT.dup, body] }, lint: false) do |server|
      server.connect do |client|
        client.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n") && client.read(20_000)
      end
      eventually { body.closed == 1 }
    end
    assert_empty log
  end

  def test_a_file_is_sent_by_its_path
    Dir.mktmpdir do |folder|
      path = File.join(folder, "file")
      File.write(path, "0123456789" * 300_000)
      body = Body.new { raise "not by its path" }
      body.define_singleton_method(:to_path) { path }
      serve(->(_) { [200, TEXT.dup, body] }) do |server|
        server.connect do |client|
          assert_equal "3000000", client.get("/", method: "HEAD")["content-length"]
          assert_equal "0123456789" * 300_000, client.get.body
        end
        assert_equal 2, body.closed
      end
    end
  end

  def test_a_file_that_is_not_there_is_sent_piece_by_piece
    body = Body.new("in pieces")
    body.define_singleton_method(:to_path) { "/nowhere/at/all" }
    serve(->(_) { [200, TEXT.dup, body] }, lint: false) do |server|
      assert_equal "in pieces", server.get.body
    end
  end

  # Called like code that is written for a socket.
  def test_a_stream_answers_as_a_socket_does
    seen = Thread::Queue.new
    body = lambda do |stream|
      seen << [stream.read_nonblock(9, exception: false), stream.wait_readable(0)]
      seen << assert_raises(IO::EAGAINWaitReadable) { stream.read_nonblock(9) }.class
      stream.syswrite("one")
      seen << stream.wait_readable(Raffia::TestCase::PATIENCE).equal?(stream)
      seen << [stream.read_nonblock(2), stream.sysread(2), stream.read_nonblock(9)]
      seen << [stream.wait_readable(0).equal?(stream), stream.read_nonblock(9, exception: false)]
      seen << assert_raises(EOFError) { stream.sysread(1) }.class
      seen << [stream.wait_writable.equal?(stream), stream.write_nonblock("two", exception: false)]
      stream.close
    end
    serve(->(_) { [200, TEXT.dup, body] }, lint: false) do |server|
      client = server.connect.say("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n")
      nil until client.gets.empty?
      assert_equal "3\r\none\r\n", client.read(8)
      client.say("hello")
      assert_equal "3\r\ntwo\r\n0\r\n\r\n", client.read(13)
      expected = [[:wait_readable, nil], IO::EAGAINWaitReadable, true, %w[he ll o], [true, nil],
        EOFError, [true, 3]]
      assert_equal expected, Array.new(expected.size) { seen.pop }
    end
  end

  # They have no path, and no lines either.
  def test_pipes_and_sockets_are_bodies
    seen = Thread::Queue.new
    pipe = lambda do
      reader, writer = IO.pipe
      writer.write("a\nb" * 5)
      writer.close
      reader
    end
    socket = lambda do
      one, other = UNIXSocket.pair
      other.write("x")
      other.close
      one
    end
    bodies = {"/pipe" => pipe, "/program" => -> { IO.popen(%w[echo hello]) }, "/socket" => socket}
    app = ->(env) { [200, TEXT.dup, bodies.fetch(env["PATH_INFO"]).call.tap { |io| seen << io }] }
    serve(app, lint: false) do |server|
      server.connect do |client|
        found = bodies.keys.map { |path| client.get(path).body }
        assert_equal ["a\nb" * 5, "hello\n", "x"], found
        assert_equal 200, client.get("/pipe", method: "HEAD").status
      end
      assert(Array.new(4) { seen.pop }.all?(&:closed?))
    end
  end

  # Nothing waits for a line's end.
  def test_bytes_of_a_pipe_are_sent_at_once
    reader, writer = IO.pipe
    serve(->(_) { [200, TEXT.dup, reader] }, lint: false) do |server|
      client = server.connect.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      writer.write("half")
      nil until client.gets.empty?
      assert_equal "4\r\nhalf\r\n", client.read(9)
      writer.write("rest")
      writer.close
      assert_equal "4\r\nrest\r\n0\r\n\r\n", client.read(14)
    end
  end

  def test_a_body_may_be_called_with_a_stream
    closed = nil
    body = lambda do |stream|
      stream.write("one")
      stream << "two" << "three"
      stream.flush
      stream.close
      closed = stream.closed?
    end
    serve(->(_) { [200, TEXT.dup, body] }) do |server|
      server.connect do |client|
        assert_equal "onetwothree", client.get.body
        assert_equal "onetwothree", client.get.body
      end
      assert closed
    end
  end

  def test_a_stream_goes_both_ways
    body = lambda do |stream|
      while (piece = stream.read(3))
        stream.write(piece.upcase)
      end
      stream.close
    end
    serve(->(_) { [200, TEXT.dup, body] }) do |server|
      server.connect do |client|
        client.say("POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
        assert_match(/\AHTTP\/1.1 200 OK/, client.say("3\r\nabc\r\n").gets)
        nil until client.gets.empty?
        assert_equal "3\r\nABC\r\n", client.read(8)
        client.say("3\r\ndef\r\n0\r\n\r\n")
        assert_equal "3\r\nDEF\r\n0\r\n\r\n", client.read(13)
        assert_equal 200, client.get.status
      end
    end
  end

  def test_a_stream_that_is_closed_takes_nothing_more
    error = nil
    body = lambda do |stream|
      stream.close
      stream.write("late")
    rescue IOError => error
      nil
    end
    serve(->(_) { [200, TEXT.dup, body] }) { |server| assert_equal "", server.get.body }
    assert_equal "closed stream", error.message
  end

  def test_streaming_to_a_client_that_has_gone_raises
    error = nil
    body = lambda do |stream|
      loop { stream.write("x" * 10_000) }
    rescue IOError => error
      stream.close
    end
    serve(->(_) { [200, TEXT.dup, body] }) do |server|
      server.connect do |client|
        client.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n") && client.read(20_000)
      end
      eventually { error }
    end
    assert_kind_of Raffia::Server::Disconnected, error
    assert_empty log
  end

  ServerContract.run(self)
  ServerContract.run_on_threads(self, without: %i[test_a_stream_goes_both_ways
    test_a_stream_answers_as_a_socket_does])
end
