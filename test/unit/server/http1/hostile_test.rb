# frozen_string_literal: true

require "tmpdir"
require_relative "http1_case"

# Applications, and their fibers, that use a connection while it reads or writes.
class Http1HostileTest < Raffia::TestCase
  include HTTP1Case

  # A socket that only has methods.
  Methods = Struct.new(:to_io) do
    def read_nonblock(...) = to_io.read_nonblock(...)

    def write_nonblock(...) = to_io.write_nonblock(...)
  end

  # A value of a header that does something when it is asked what it is.
  Value = Struct.new(:block) do
    def to_s
      block.call
      "value"
    end
  end

  def test_a_name_that_changes_while_its_value_is_asked
    name = +"x-name"
    headers = [[name, Value.new(-> { name.replace("x\r\n" * 100_000) })]]
    receive(GET)
    @http1.respond(200, headers.each, [])
    assert_match(/\r\nx-name: value\r\n/, said)
  end

  def test_a_value_that_writes_to_the_connection_itself
    [-> { @http1.send_interim(103, {}) }, -> { @http1.flush },
      -> { @http1.respond(200, {}, ["other"]) }].each do |interruption|
      receive(GET)
      error = assert_raises(Raffia::Server::BadResponse) do
        @http1.respond(200, {"x-first" => "1", "x-name" => Value.new(interruption)}, ["body"])
      end
      assert_match(/something else was sent/, error.message)
      @http1.respond(500, {}, ["error"])
      @http1.flush
      answer = said
      refute_match(/x-first|x-name|body/, answer)
      assert_match(/HTTP\/1.1 500 .*\r\n\r\nerror\z/m, answer)
    end
  end

  def test_bytes_of_several_encodings
    @socket = Methods.new(@socket)
    @http1 = http1
    receive(GET)
    pieces = ["é" * 5000, "\xFF".b, "ö".encode("ISO-8859-1")]
    @http1.respond(200, {"x-name" => "\xE9".b}, pieces)
    assert_equal pieces.map(&:b).join, said.split("\r\n\r\n", 2).last
  ensure
    @socket = @socket.to_io
  end

  def test_writing_after_the_end
    receive(GET)
    @http1.begin(200, {})
    @http1.write("whole")
    @http1.finish
    assert_raises(IOError) { @http1.write("more") }
    File.open(__FILE__) { |file| assert_raises(IOError) { @http1.send_file(file, 0, 1) } }
    refute_match(/more/, said)
  end

  def test_an_end_that_is_interrupted_has_not_been_reached
    receive(GET)
    fill
    @http1.begin(200, {})
    interrupted { @http1.finish }
    assert_predicate @http1, :begun?
    assert @http1.reset_response
  end

  def test_a_piece_that_is_interrupted_is_the_end_of_the_connection
    receive(GET)
    @http1.begin(200, {})
    interrupted { @http1.write("piece" * 1_000_000) }
    assert_raises(Raffia::Server::Disconnected) { @http1.write("tail") }
    assert_raises(Raffia::Server::Disconnected) { @http1.finish }
    refute @http1.reset_response
    refute_match(/tail/, said)
  end

  def test_a_response_of_which_nothing_was_sent_gives_way_to_another
    receive(GET)
    fill
    interrupted { @http1.respond(200, {}, ["piece" * 1_000_000]) }
    assert @http1.reset_response
    drain
    @http1.respond(500, {}, ["error"])
    assert_match(/\AHTTP\/1.1 500 .*error\z/m, said)
  end

  def test_a_file_that_is_closed_while_the_client_takes_its_time
    receive(GET)
    @http1.begin(200, {}, 1)
    @http1.flush
    fill
    Dir.mktmpdir do |folder|
      file = File.open(File.join(folder, "file"), "w+")
      file.write("x")
      file.flush
      sending = Thread.new { @http1.send_file(file, 0, 1) }
      sending.report_on_exception = false
      Thread.pass until sending.stop?
      file.close
      @client.read_nonblock(65_536, exception: false) while sending.alive?
      assert_match(/closed/, assert_raises(IOError) { sending.value }.message)
    end
  end

  def test_a_refusal_does_not_repeat_the_response_before
    receive("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
    assert_status(400) { receive("GET / HTTP/1.1\r\n\r\n") }
    @http1.respond(400, {}, ["reason"])
    assert_match(/\r\n\r\nreason\z/, said)
  end

  def test_continue_comes_before_a_response_that_has_begun
    receive("#{POST}Expect: 100-continue\r\nContent-Length: 1\r\n\r\n")
    @http1.begin(200, {})
    @client << "x"
    assert_equal "x", @http1.read_body(1, LONG)
    assert_match(/\AHTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n.*\r\n\r\n\z/m, said)
  end

  def test_continue_does_not_come_within_a_response
    receive("#{POST}Expect: 100-continue\r\nContent-Length: 1\r\n\r\n")
    @http1.begin(200, {})
    @http1.write("piece")
    @client << "x"
    assert_equal "x", @http1.read_body(1, LONG)
    refute_match(/Continue/, said)
  end

  def test_framing_where_there_is_nothing_to_frame
    receive(GET)
    @http1.send_interim(103,
      {"link" => "</x>", "content-length" => "5", "transfer-encoding" => "chunked"})
    @http1.respond(204, {"transfer-encoding" => "chunked"}, [])
    receive(GET)
    @http1.begin(200, {})
    @http1.finish({"content-length" => "5", "transfer-encoding" => "chunked", "x-sum" => "1"})
    interim, empty, _, trailers = said.split("\r\n\r\n")
    assert_equal "HTTP/1.1 103 Early Hints\r\nlink: </x>", interim
    refute_match(/transfer-encoding/, empty)
    assert_equal "0\r\nx-sum: 1", trailers
  end

  private

  # @return [String] all that is there
  def said
    @client.read_nonblock(1_000_000)
  end

  # Nothing more can be sent then.
  def fill
    loop { @socket.write_nonblock("." * 65_536) }
  rescue IO::WaitWritable
    nil
  end

  # Takes all that is there.
  def drain
    loop { said }
  rescue IO::WaitReadable
    nil
  end

  # Raises something in the block when it waits.
  def interrupted
    thread = Thread.new do
      Thread.current.report_on_exception = false
      yield
    end
    Thread.pass until thread.stop?
    thread.raise("enough")
    assert_equal "enough", assert_raises(RuntimeError) { thread.value }.message
  end
end
