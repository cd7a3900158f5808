# frozen_string_literal: true

require_relative "http_stream_contract"

# HTTP::Stream on an HTTP/1.1 connection, and what only that one can do.
class HTTP1StreamTest < Raffia::TestCase
  include HTTPStreamContract

  Stream = Raffia::Server::HTTP1::Stream

  class Client
    attr_reader :interim

    def initialize(socket, method)
      @socket = socket
      @head = method == "HEAD"
      @buffer = "".b
      @interim = []
    end

    def answer
      lines = take(/\A.*?\r\n\r\n/m).split("\r\n")
      status = lines.shift[9, 3].to_i
      headers = lines.to_h { |line| line.split(": ", 2) }
      return [status, headers, body(headers, status)] if status >= 200 || status == 101

      @interim << status
      answer
    end

    def leave = @socket.close

    def write(bytes) = @socket.write(bytes)
    alias_method :send_body, :write

    def read = @socket.readpartial(65_536)

    private

    def take(pattern)
      @buffer << read until @buffer.match?(pattern)
      @buffer.slice!(pattern)
    end

    def take_bytes(length)
      @buffer << read while @buffer.bytesize < length
      @buffer.slice!(0, length)
    end

    def body(headers, status)
      return "" if @head || [101, 204, 304].include?(status)
      return take_bytes(headers["content-length"].to_i) if headers.key?("content-length")

      chunks
    end

    def chunks
      all = "".b
      while (size = take(/\A.*?\r\n/m).hex) > 0
        all << take_bytes(size)
        take(/\A\r\n/)
      end
      take(/\A\r\n/)
      all
    end
  end

  def with_stream(method: "GET", body: nil, length: body&.bytesize, headers: {}, rest: "")
    here, there = UNIXSocket.pair
    stream = Stream.new(there, Raffia::Native::HTTP1.template({}))
    client = Client.new(here, method)
    headers = {"host" => "h", **(length ? {"content-length" => length} : {}), **headers}
    lines = headers.map { |name, value| "#{name}: #{value}\r\n" }
    client.write("#{method} / HTTP/1.1\r\n#{lines.join}\r\n#{body}#{rest}")
    assert_kind_of Hash, stream.receive(LONG, LONG)
    yield stream, client
  ensure
    [here, there].each(&:close)
  end

  def test_pieces_for_a_slow_client_are_buffered_up_to_a_limit
    with_stream do |stream, client|
      stream.write_buffer_limit = 4 << 20
      stream.begin(200, {}, 1 << 20)
      stream.write("x" * (1 << 20)) # no kernel takes all of it, and nobody reads
      stream.finish
      stream.write_buffer_limit = 0
      reader = Thread.new { client.answer }
      stream.flush
      assert_equal 1 << 20, reader.value.last.bytesize
    end
  end

  def test_a_hijacked_socket_has_what_was_not_read
    with_stream(rest: "after") do |stream, client|
      io = stream.hijack
      assert_same stream.io, io
      assert_equal "after", io.readpartial(64)
      io.write("free")
      assert_equal "free", client.read
      refute_predicate stream, :keep_alive?
    end
  end

  def test_the_head_before_another_protocol
    with_stream(headers: {"connection" => "upgrade", "upgrade" => "echo"}) do |stream, client|
      stream.begin_raw(101, {}, "echo")
      stream.hijack.write("free")
      status, headers, = client.answer
      assert_equal [101, "echo"], [status, headers["upgrade"]]
    end
  end

  def test_a_switch_that_was_not_asked_for
    with_stream do |stream, client|
      assert_raises(BadResponse) { stream.begin_raw(101, {}, "echo") }
      assert stream.answer([500, {}, ["no"]])
      stream.flush
      assert_answer(client, 500, "no")
    end
  end

  def test_a_connection_that_takes_no_further_request
    with_stream do |stream, client|
      stream.closing = true
      stream.answer([200, {}, ["bye"]])
      stream.flush
      assert_answer(client, 200, "bye", "connection" => "close")
      refute_predicate stream, :keep_alive?
    end
  end

  # The HTTP side knows a stream by these messages alone.
  def test_the_http_side_sends_only_messages_of_the_contract
    root = File.expand_path("../../../lib/raffia/server", __dir__)
    sent = Dir["#{root}/http/*.rb", "#{root}/observability/telemetry.rb"].flat_map do |file|
      File.read(file).gsub(/^ *#.*/, "").scan(/(?<![.\w])@?stream\.([a-z_]+[?=]?)(?!=)/).flatten
        .map { |name| name.delete_suffix("=") }
    end
    known = Raffia::Server::HTTP::Stream::MESSAGES.map { |name| name.to_s.delete_suffix("=") }
    assert_empty sent.uniq - known
  end
end
