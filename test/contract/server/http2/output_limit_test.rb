# frozen_string_literal: true

require "objspace"
require_relative "http2_case"

# What the server keeps for a client that opens no windows.
class HTTP2OutputLimitTest < HTTP2Case
  STREAMS = 100
  PIECE = 8 * 1024
  PIECES = 12
  # Of a connection. Beyond it each stream has so much.
  MOST = 256 * 1024
  SHARE = 16 * 1024

  def setup
    super
    @begun = @written = 0
    @threads = []
    @lock = Thread::Mutex.new
  end

  def test_many_streams_in_pieces
    check { |stream| PIECES.times { write(stream, "x" * PIECE) } }
  end

  # Half of each body comes when the other half has been taken.
  def test_a_stream_that_has_been_full_goes_on_when_others_are_empty
    check(half: true) { |stream| PIECES.times { write(stream, "x" * PIECE) } }
  end

  # 1 MiB of a stream is kept on HTTP/1.1, where a connection has one at a time.
  def test_many_streams_in_pieces_on_threads
    app = pieces { |stream| PIECES.times { write(stream, "x" * PIECE) } }
    serve(app, execution: :threads) do |client|
      request_all(client)
      wait_until do
        @threads.size == STREAMS && @threads.all? { |thread| thread.status == "sleep" }
      end
      assert_operator @written, :<, MOST + STREAMS * SHARE
      finish_all(client)
    end
  end

  def test_a_string_is_no_exception
    app = lambda do |_env|
      @begun += 1
      [200, {}, ["x" * (PIECE * PIECES)]]
    end
    serve(app) do |client|
      request_all(client)
      client.ping_pong until @begun == STREAMS
      client.ping_pong
      sessions = ObjectSpace.each_object(Raffia::Native::HTTP2)
      kept = sessions.map { |session| ObjectSpace.memsize_of(session) }.max
      assert_operator kept, :<, (MOST + STREAMS * SHARE) * 2
      finish_all(client)
    end
  end

  private

  def pieces
    lambda do |_env|
      [200, {}, lambda do |stream|
        @lock.synchronize do
          @begun += 1
          @threads << Thread.current
        end
        yield stream
        stream.close
      end]
    end
  end

  def check(half: false, &body)
    serve(pieces(&body)) do |client|
      request_all(client)
      client.ping_pong until @begun == STREAMS
      client.ping_pong
      assert_operator @written, :<, MOST + STREAMS * SHARE
      open_half(client) if half
      finish_all(client)
    end
  end

  def open_half(client)
    client.write(*Array.new(STREAMS) { |n| window_update(n * 2 + 1, PIECE * PIECES / 2) })
    client.write(window_update(0, STREAMS * PIECE * PIECES))
  end

  def write(stream, piece)
    stream.write(piece)
    @lock.synchronize { @written += piece.bytesize }
  end

  def request_all(client) = STREAMS.times { |n| client.request(n * 2 + 1) }

  def finish_all(client)
    client.write(window_update(0, 1 << 30), settings(initial_window_size: 1 << 20))
    STREAMS.times do |n|
      assert_equal PIECE * PIECES, client.response(n * 2 + 1).body.bytesize
    end
  end

  def serve(app, **options, &)
    Raffia::Server.start(app, log: File::NULL, **options) do |server|
      Connection.open(server.port, settings: {initial_window_size: 0}, &)
    end
  end
end
