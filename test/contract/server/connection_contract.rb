# frozen_string_literal: true

require "test_helper"
require "logger"
require "openssl"
require "stringio"
require "support/certificates"
require "tmpdir"
require "raffia/server"

# What a connection of every protocol gets from the server: the choice by ALPN, the request cycle,
# limits, logs and the drain. A suite includes it and says how its clients speak:
#
#   protocol                    its name in ALPN
#   start(io, id, path)         sends a request
#   finish(io, id)              status and body of its response
#   send_nonsense(io)           bytes that are no request, which get a response of status 400
module ServerConnectionContract
  def setup
    super
    @dir = Dir.mktmpdir("raffia-test-")
    @pair = TestSupport::Certificates.new(@dir).server("localhost")
    @access_log = File.join(@dir, "access.log")
    @log = StringIO.new
    @begun = Thread::Queue.new
    @gate = Thread::Queue.new
  end

  def teardown
    FileUtils.remove_entry(@dir)
    super
  end

  def test_alpn_chooses_the_protocol
    serve do |server|
      connect(server) do |io|
        assert_equal protocol, io.alpn_protocol
        assert_equal [200, "https /a 127.0.0.1"], request(io, "/a")
        assert_equal [200, "https /b 127.0.0.1"], request(io, "/b")
      end
    end
  end

  def test_the_same_on_threads
    serve(execution: :threads) do |server|
      connect(server) { |io| assert_equal [200, "https /a 127.0.0.1"], request(io, "/a") }
    end
  end

  def test_an_error_of_the_application
    serve do |server|
      connect(server) do |io|
        assert_equal 500, request(io, "/raise").first
        assert_equal 200, request(io, "/").first
      end
      assert_match(%r{GET /raise.*a fault of the application}, @log.string)
    end
  end

  def test_limits
    serve(request_timeout: 1, max_in_flight: 1, max_queue_time: 0.01) do |server|
      connect(server) do |late|
        start(late, 1, "/wait")
        await_begin
        connect(server) { |io| assert_equal 503, request(io, "/").first }
        assert_equal 504, finish(late, 1).first
      end
    end
  end

  def test_the_access_log
    serve { |server| connect(server) { |io| request(io, "/logged") } }
    assert_match(%r{\A127\.0\.0\.1 .*"GET /logged .*" 200 }, File.read(@access_log))
  end

  def test_bytes_that_are_no_request
    serve do |server|
      connect(server) do |io|
        send_nonsense(io)
        assert_equal 400, finish(io, 0).first
        assert_empty io.read
      end
    end
    assert_match(/ 400 /, File.read(@access_log))
  end

  def test_a_drain_finishes_requests_and_ends_idle_connections
    serve do |server|
      connect(server) do |idle|
        assert_equal 200, request(idle, "/").first
        connect(server) do |busy|
          start(busy, 1, "/wait")
          await_begin
          stopping = Thread.new { server.stop }
          assert_empty idle.read
          @gate << :go
          assert_equal 200, finish(busy, 1).first
          assert_empty busy.read
          stopping.join
        end
      end
    end
  end

  def test_a_drain_ends_handshakes
    serve do |server|
      silent = TCPSocket.new("127.0.0.1", server.port)
      silent.timeout = Raffia::TestCase::PATIENCE
      connect(server) { |io| request(io, "/") } # the silent one was accepted before
      stopping = Thread.new { server.stop }
      assert_empty silent.read
      stopping.join
    ensure
      silent&.close
    end
  end

  private

  def request(io, path)
    start(io, 1, path)
    finish(io, 1)
  end

  def app
    lambda do |env|
      case env["PATH_INFO"]
      when "/raise" then raise "a fault of the application"
      when "/wait"
        @begun << true
        @gate.pop
      end
      [200, {"content-type" => "text/plain"},
        [env.values_at("rack.url_scheme", "PATH_INFO", "REMOTE_ADDR").join(" ")]]
    end
  end

  def await_begin = assert(@begun.pop(timeout: Raffia::TestCase::PATIENCE), "no request has begun")

  def serve(**options, &)
    Raffia::Server.start(app, bind: "ssl://127.0.0.1:0", tls_cert: @pair.first, tls_key: @pair.last,
      access_log: @access_log, logger: Logger.new(@log), **options, &)
  end

  def connect(server)
    context = OpenSSL::SSL::SSLContext.new
    context.alpn_protocols = [protocol]
    socket = TCPSocket.new("127.0.0.1", server.port)
    socket.timeout = Raffia::TestCase::PATIENCE
    ssl = OpenSSL::SSL::SSLSocket.new(socket, context)
    ssl.connect
    yield ssl
  ensure
    socket&.close
  end
end
