# frozen_string_literal: true

require "test_helper"
require "socket"
require "raffia"
require "raffia/server/error"

# A http1, and the client's end of its socket.
module HTTP1Case
  TEMPLATE = {"SCRIPT_NAME" => "", "SERVER_NAME" => "localhost", "SERVER_PORT" => "9292",
              "rack.url_scheme" => "http"}.freeze
  GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
  POST = "POST / HTTP/1.1\r\nHost: h\r\n"
  CHUNKED = "#{POST}Transfer-Encoding: chunked\r\n\r\n".freeze
  # Seconds; nothing waits that long in a test that passes.
  LONG = 60

  def setup
    super
    skip "built without llhttp" unless defined?(Raffia::Native::HTTP1)
    @client, @socket = UNIXSocket.pair
    @http1 = http1
  end

  def teardown
    [@client, @socket].compact.each(&:close)
    super
  end

  # @return [Raffia::Native::HTTP1]
  def http1(limits = {}, template = TEMPLATE)
    Raffia::Native::HTTP1.new(@socket, Raffia::Native::HTTP1.template(template), limits)
  end

  # @return [Hash] the env of a request that comes whole
  def receive(bytes)
    @client << bytes
    @http1.receive(LONG, LONG)
  end

  # @return [Hash] what a request adds to the template
  def env_of(bytes) = receive(bytes).except(*TEMPLATE.keys - %w[SERVER_NAME SERVER_PORT])

  # @return [String] all of the body
  def body
    pieces = []
    while (piece = @http1.read_body(65_536, LONG))
      pieces << piece
    end
    pieces.join
  end

  # @return [Raffia::Server::Refused]
  def assert_status(status, &)
    error = assert_raises(Raffia::Server::Refused, &)
    assert_equal status, error.status, error.message
    error
  end
end
