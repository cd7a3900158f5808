# frozen_string_literal: true

require_relative "http2_case"

# Clients that take no bytes of responses.
class HTTP2WriteTimeoutTest < HTTP2Case
  CANCEL = 8
  ENHANCE_YOUR_CALM = 11

  def test_a_response_that_is_not_taken_ends_the_connection
    serve(->(_env) { [200, {}, ["x" * 100]] }) do |client|
      client.request(1)
      assert_equal :headers, client.take(stream: 1).type
      assert_equal ENHANCE_YOUR_CALM, client.take(:goaway).payload.unpack("NN").last
      assert_raises(Connection::Closed) { client.take(:data) }
    end
  end

  # By its writer, or with its connection: both have the same time.
  def test_a_stream_that_is_not_taken_is_reset
    app = ->(_env) { [200, {}, ->(stream) { 100.times { stream.write("x" * 1024) } }] }
    serve(app) do |client|
      client.request(1)
      assert_equal :headers, client.take(stream: 1).type
      ended = client.take { |frame| %i[goaway rst_stream].include?(frame.type) }
      expected = {rst_stream: CANCEL, goaway: ENHANCE_YOUR_CALM}.fetch(ended.type)
      assert_equal expected, ended.payload.unpack("N*").last
    end
  end

  private

  def serve(app, &)
    Raffia::Server.start(app, write_timeout: 0.3, log: File::NULL) do |server|
      Connection.open(server.port, settings: {initial_window_size: 0}, &)
    end
  end
end
