# frozen_string_literal: true

require_relative "http1_case"

# Bodies, and what comes behind them.
class Http1BodyTest < Raffia::TestCase
  include HTTP1Case

  def test_no_body
    receive(GET)
    refute_predicate @http1, :body?
    assert_nil @http1.read_body
    assert_equal [true, nil], [@http1.skip_body(0), @http1.trailers]
  end

  def test_a_body_of_known_length
    receive("#{POST}Content-Length: 5\r\n\r\nhello")
    assert_predicate @http1, :body?
    piece = @http1.read_body
    assert_equal ["hello", Encoding::BINARY, nil], [piece, piece.encoding, @http1.read_body]
  end

  def test_a_body_in_chunks
    receive("#{CHUNKED}5;a=b\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")
    assert_equal ["hello world", nil, nil], [@http1.read_body, @http1.read_body, @http1.trailers]
  end

  def test_no_more_than_asked_for
    receive("#{CHUNKED}5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n#{GET}")
    assert_equal ["he", "llo wo", "", "rld", nil],
      [2, 6, 0, 6, 6].map { |most| @http1.read_body(most) }
    assert_equal "GET", receive("")["REQUEST_METHOD"]
    receive("#{POST}Content-Length: 5\r\n\r\nhello#{GET}")
    assert_equal ["he", "llo", nil], [2, 6, 6].map { |most| @http1.read_body(most) }
    assert_equal "GET", receive("")["REQUEST_METHOD"]
  end

  def test_trailers
    receive("#{CHUNKED}1\r\nx\r\n0\r\nX-Sum: 1\r\nA:\r\nx-sum: 2\r\n\r\n")
    assert_nil @http1.trailers
    assert_equal "x", body
    assert_equal({"x-sum" => "1, 2", "a" => ""}, @http1.trailers)
    receive(GET)
    assert_nil @http1.trailers
  end

  def test_a_long_body
    sent = Random.bytes(300_000)
    writer = Thread.new { @client << "#{POST}Content-Length: #{sent.bytesize}\r\n\r\n" << sent }
    @http1.receive(LONG, LONG)
    assert_equal sent, body
    writer.join
    writer = Thread.new do
      @client << CHUNKED <<
        sent.scan(/.{1,999}/mn).map { |piece| "#{piece.bytesize.to_s(16)}\r\n#{piece}\r\n" }.join <<
        "0\r\n\r\n"
    end
    @http1.receive(LONG, LONG)
    assert_equal sent, body
    writer.join
  end

  # Bytes that are here already are received into the returned String, except for the first, and
  # decoded in place.
  def test_a_long_body_in_chunks_with_a_request_behind_it
    sent = Random.bytes(100_000)
    [1_000, 30_000, 100_000].product([700, 65_536, 99_999, 200_000]) do |size, most|
      send_ahead("#{CHUNKED}#{chunks(sent, size)}0\r\nA: b\r\n\r\n#{GET}")
      found = Array.new(1_000) { @http1.read_body(most) }.compact
      assert_operator found.map(&:bytesize).max, :<=, most
      assert_equal [sent, {"a" => "b"}], [found.join, @http1.trailers]
      assert_equal "GET", @http1.receive(LONG, LONG)["REQUEST_METHOD"]
    end
  end

  def test_received_bytes_come_at_once
    send_ahead("#{CHUNKED}#{chunks("x" * 50_000, 8_192)}0\r\n\r\n")
    assert_equal [50_000, nil], [@http1.read_body.bytesize, @http1.read_body]
  end

  def test_malformed_bytes_far_behind_the_head
    send_ahead("#{CHUNKED}#{chunks("x" * 50_000, 8_192)}x\r\n")
    assert_status(400) { body }
    assert_nil @http1.read_body
    @http1 = http1({body: 49_999})
    send_ahead("#{CHUNKED}#{chunks("x" * 50_000, 8_192)}0\r\n\r\n")
    assert_status(413) { body }
  end

  def test_byte_by_byte
    bytes = "\r\n#{GET}#{CHUNKED}5\r\nhello\r\n6\r\n world\r\n0\r\nA: " \
      "b\r\n\r\n#{POST}Content-Length: 2\r\n\r\nhi"
    writer = Thread.new do
      bytes.each_char do |char|
        @client << char
        Thread.pass
      end
    end
    found = Array.new(3) { [@http1.receive(LONG, LONG)["REQUEST_METHOD"], body, @http1.trailers] }
    assert_equal [["GET", "", nil], ["POST", "hello world", {"a" => "b"}], ["POST", "hi", nil]],
      found
    assert_equal bytes.bytesize, @http1.received
    writer.join
  end

  def test_a_body_must_be_read_before_the_next_request
    receive("#{POST}Content-Length: 5\r\n\r\nhello#{GET}")
    error = assert_raises(IOError) { @http1.receive(LONG, LONG) }
    assert_match(/has not been read/, error.message)
    assert @http1.skip_body(5)
    assert_equal "GET", @http1.receive(LONG, LONG)["REQUEST_METHOD"]
  end

  def test_skipping
    receive("#{CHUNKED}5\r\nhello\r\n0\r\nA: b\r\n\r\n#{GET}")
    assert @http1.skip_body(5)
    assert_equal "GET", receive("")["REQUEST_METHOD"]
  end

  def test_skipping_no_more_than_allowed
    receive("#{CHUNKED}5\r\nhello\r\n0\r\n\r\n")
    refute @http1.skip_body(4)
    @http1 = http1
    receive("#{POST}Content-Length: 6\r\n\r\n")
    refute @http1.skip_body(5, LONG)
  end

  def test_skipping_waits_only_with_a_timeout
    receive("#{POST}Content-Length: 6\r\n\r\nhello")
    refute @http1.skip_body(100)
    @client << "!"
    assert @http1.skip_body(100, LONG)
  end

  def test_skipping_malformed_bytes
    receive("#{CHUNKED}x\r\n")
    refute @http1.skip_body(100)
    refute @http1.skip_body(100)
    assert_nil @http1.receive(LONG, LONG)
  end

  def test_100_continue_when_the_body_is_read
    receive("#{POST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    reader = Thread.new { body }
    assert_equal "HTTP/1.1 100 Continue\r\n\r\n", @client.readpartial(100)
    @client << "hi"
    assert_equal "hi", reader.value
  end

  def test_no_100_continue_when_the_body_is_not_read
    receive("#{POST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    refute @http1.skip_body(100, LONG)
    assert_equal :wait_readable, @client.read_nonblock(1, exception: false)
  end

  def test_no_100_continue_when_the_body_is_there
    receive("#{POST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\nhi")
    assert_equal "hi", body
    assert_equal :wait_readable, @client.read_nonblock(1, exception: false)
  end

  def test_the_client_leaves_in_the_middle
    [["Content-Length: 5\r\n\r\nhell", "hell"],
      ["Transfer-Encoding: chunked\r\n\r\n5\r\nhell", "hell"],
      ["Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nA: b", "x"]].each do |rest, read|
      @client, @socket = UNIXSocket.pair
      @http1 = http1
      receive("#{POST}#{rest}")
      @client.close
      assert_equal read, @http1.read_body
      assert_raises(Raffia::Server::Disconnected) { @http1.read_body }
      assert_nil @http1.receive(LONG, LONG)
      @socket.close
    end
  end

  def test_nothing_comes_in_time
    receive("#{POST}Content-Length: 5\r\n\r\n")
    assert_status(408) { @http1.read_body(10, 0.001) }
  end

  def test_malformed_and_too_long_bodies
    receive("#{CHUNKED}x\r\n")
    assert_status(400) { body }
    refute_predicate @http1, :keep_alive?
    assert_nil @http1.read_body
    @http1 = http1({body: 3})
    assert_status(413) { receive("#{POST}Content-Length: 4\r\n\r\n") }
    @http1 = http1({body: 3})
    receive("#{CHUNKED}2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n")
    assert_status(413) { body }
  end

  def test_unread_bytes_for_another_protocol
    receive("GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n\x00rest")
    assert_predicate @http1, :pending?
    assert_equal "\x00rest".b, @http1.unread
    refute_predicate @http1, :pending?
    assert_equal "", @http1.unread
  end

  def test_pipelined_requests
    envs = [receive(GET * 3), @http1.receive(LONG, LONG)]
    assert_predicate @http1, :pending?
    envs << @http1.receive(LONG, LONG)
    refute_predicate @http1, :pending?
    assert_equal 1, envs.uniq.size
  end

  private

  def chunks(body, size)
    body.scan(/.{1,#{size}}/mn).map { |piece| "#{piece.bytesize.to_s(16)}\r\n#{piece}\r\n" }.join
  end

  # All of it is in the kernel when the first byte is read.
  def send_ahead(bytes)
    [@client, @socket].each { |socket| socket.setsockopt(:SOCKET, :SNDBUF, 1_000_000) }
    assert_equal bytes.bytesize, @client.write_nonblock(bytes)
    @http1.receive(LONG, LONG)
  end
end
