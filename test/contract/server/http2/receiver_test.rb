# frozen_string_literal: true

require "test_helper"
require "raffia/server"
require "raffia/server/worker"
require "support/http2/frame"
require "support/http2/hpack"

# The fiber that receives serves requests itself: their output is sent together, and no other fiber
# receives until it waits.
class HTTP2ReceiverTest < Raffia::TestCase
  include TestSupport::HTTP2

  FIELDS = [[":method", "GET"], [":scheme", "http"], [":path", "/"], [":authority", "a"]].freeze

  def setup
    skip "HTTP/2: #{Raffia::Native::HTTP2_ADVICE}" unless Raffia::Native.http2?
    super
  end

  # TLS has read the second request ahead, or the kernel had it: the fiber does not wait for it.
  def test_the_output_of_a_request_that_came_without_a_wait_is_deferred
    with_session do |session, client, queue|
      session.feed(PREFACE + Frames.settings.to_s + request(1))
      client.write(request(3))
      answer(session)
      assert_deferred(session, queue) { answer(session) }
      assert_equal false, session.receive(0.001)
      assert_empty queue
    end
  end

  def test_another_fiber_has_to_receive_when_a_request_waits
    with_session do |session, client, queue|
      session.feed(PREFACE + Frames.settings.to_s + request(1))
      client.write(request(3))
      answer(session)
      answer(session) { sleep(0.001) }
      assert_equal 1, queue.size
      assert session.take_receiver_request
    end
  end

  private

  def with_session
    server, client = UNIXSocket.pair
    Raffia.run do
      session = Raffia::Native::HTTP2.new(server, Raffia::Server::HTTP2::Stream,
        {"rack.url_scheme" => "http"}, {})
      session.receiver_requests = queue = Thread::Queue.new
      skip "a fiber of its own serves each request" unless session.inline?
      yield session, client, queue
    end
  ensure
    [server, client].each(&:close)
  end

  def answer(session)
    stream = session.receive(1)
    yield if block_given?
    stream.env
    stream.answer([200, {}, ["hello"]])
    stream.release
  end

  # One send, of what the last request has left when the next one is received.
  def assert_deferred(session, queue)
    before = session.sends
    yield
    assert_equal before + 1, session.sends
    assert_empty queue
  end

  def request(id) = Frames.headers(id, FIELDS).to_s
end
