# frozen_string_literal: true

require "test_helper"
require "support/http2/connection"
require "support/http2/shared_server"

# The parent of the cases of HTTP/2, by raw frames over cleartext. Each case of the list that h2spec
# made known has its number there, which begins with a section of RFC 7540 or 7541; others have a
# section of the RFC that they are from. Each runs twice: with whole frames, and byte by byte.
class HTTP2Case < Raffia::TestCase
  include TestSupport::HTTP2
  include TestSupport::HTTP2::Frames

  # Defines a case and the same byte by byte.
  # @param number [String] such as http2/6.5/1
  # @param says [String]
  # @param settings [Hash, nil] of the client; nil: the case itself begins the connection
  # @yieldparam client [TestSupport::HTTP2::Connection]
  def self.spec(number, says, settings: {}, &block)
    name = "test_#{number} #{says}".tr("^A-Za-z0-9", "_").squeeze("_")
    define_method(name) { run_case(settings, false, block) }
    define_method(:"#{name}_byte_by_byte") { run_case(settings, true, block) }
  end

  def setup
    skip "HTTP/2: #{Raffia::Native::HTTP2_ADVICE}" unless Raffia::Native.http2?
    super
  end

  private

  def run_case(settings, piecewise, block)
    port = SharedServer.port
    client = if settings
      Connection.open(port, settings:, piecewise:)
    else
      Connection.new(TCPSocket.new("127.0.0.1", port), piecewise:)
    end
    instance_exec(client, &block)
  ensure
    client&.close
  end

  # The server says why, and closes.
  # @param errors [Array<Symbol>] any of them
  def assert_connection_error(client, *errors)
    goaway = client.goaway_at_end
    assert goaway, "the connection ended without GOAWAY"
    assert_includes errors, goaway.error, goaway.payload
  end

  # The server resets the stream and goes on, or gives up the whole connection for the same reason.
  def assert_stream_error(client, stream, *errors)
    frame = client.take do |one|
      one.type == :goaway || (one.type == :rst_stream && one.stream == stream)
    end
    assert_includes errors, frame.error, frame.payload
    (frame.type == :goaway) ? client.rest : assert_lives(client)
  end

  # For what a newer RFC lets be ignored.
  # @param errors [Array<Symbol>] of GOAWAY, when it is not
  def assert_error_or_ignored(client, *errors)
    yield if block_given?
    assert_lives(client)
  rescue Connection::Closed
    assert_connection_error(client, *errors)
  end

  def assert_lives(client) = assert(client.ping_pong)

  def assert_served(client, stream)
    assert_equal 200, client.response(stream).status
    assert_lives(client)
  end

  # A request whose body is still to come.
  def open_stream(client, stream = 1)
    client.request(stream, method: "POST", flags: [:end_headers])
  end

  def close_stream(client, stream = 1)
    client.request(stream)
    client.response(stream)
  end

  # @return [Array] of a GET, to be changed
  def fields = [[":method", "GET"], [":scheme", "http"], [":path", "/"], [":authority", "a"]]

  def post = [[":method", "POST"], *fields.drop(1)]

  # @return [String] of a GET
  def block(more = []) = HPACK.encode(fields + more)
end
