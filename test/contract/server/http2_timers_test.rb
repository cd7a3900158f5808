# frozen_string_literal: true

require "test_helper"
require "raffia/server"
require "support/http2/connection"

# When a connection of HTTP/2 ends because its client is silent or slow. The timers get their limits
# from the test, and the session and its client are real.
class HTTP2TimersTest < Raffia::TestCase
  FRAMES = TestSupport::HTTP2::Frames
  SHORT = 0.05
  LONG = 3600

  def setup
    super
    skip "built without libnghttp2" unless Raffia::Native.http2?
  end

  def test_a_client_that_does_not_acknowledge_settings
    with_session(settings: SHORT, greet: false) do |timers, client, session|
      client.write(TestSupport::HTTP2::PREFACE, FRAMES.settings) # and no answer to the server's
      assert_equal :abort, await(timers)
      session.send_output
      assert_equal :settings_timeout, client.take(:goaway).error
    end
  end

  def test_a_client_that_has_acknowledged_them
    with_session(settings: SHORT) do |timers, client, session|
      wait_until { session.settings_acked? }
      assert_nil timers.check(Raffia::Clock.now + LONG)
    end
  end

  def test_a_silent_client_with_a_request_is_asked_and_given_up
    with_session(silence: SHORT, ping: SHORT) do |timers, client, session|
      client.answer_pings = false
      open_request(client, session)
      wait_until { timers.check(Raffia::Clock.now) || session.ping_unanswered? }
      session.send_output
      refute client.take(:ping).flag?(:ack)
      assert_equal :abort, await(timers)
    end
  end

  def test_an_answer_is_a_sign_of_life_and_the_question_comes_again
    with_session(silence: SHORT, ping: LONG) do |timers, client, session|
      open_request(client, session)
      2.times do
        wait_until { timers.check(Raffia::Clock.now) || session.ping_unanswered? }
        session.send_output
        client.take(:ping) # is answered
        wait_until { !session.ping_unanswered? }
      end
      assert_nil timers.check(Raffia::Clock.now)
    end
  end

  # A PING of the server stays without an answer, but the client sends something else.
  def test_any_frame_is_a_sign_of_life
    with_session(silence: SHORT, ping: 1) do |timers, client, session|
      client.answer_pings = false
      open_request(client, session)
      wait_until { timers.check(Raffia::Clock.now) || session.ping_unanswered? }
      session.send_output
      client.take(:ping)
      client.write(FRAMES.window_update(0, 1))
      wait_until { session.silence < SHORT }
      assert_nil timers.check(Raffia::Clock.now)
      assert_nil timers.check(Raffia::Clock.now + LONG)
    end
  end

  def test_a_silent_client_without_a_request_is_not_asked
    with_session(silence: SHORT, ping: SHORT) do |timers, client, session|
      wait_until { session.silence > SHORT * 2 }
      assert_nil timers.check(Raffia::Clock.now)
      refute session.ping_unanswered?
    end
  end

  # Its own PINGs are received bytes, so the connection is kept, as those who send them want it.
  def test_an_idle_connection_is_kept_by_pings_of_the_client
    with_session({idle_timeout: SHORT * 4}) do |timers, client, session|
      4.times do
        wait_until { session.silence > SHORT }
        client.ping_pong
        assert_nil timers.check(Raffia::Clock.now)
      end
      assert_equal :end, await(timers)
    end
  end

  def test_a_connection_with_a_request_is_not_idle
    with_session({idle_timeout: SHORT}) do |timers, client, session|
      stream = open_request(client, session)
      wait_until { session.silence > SHORT * 2 }
      assert_nil timers.check(Raffia::Clock.now + LONG)
      stream.release
      assert_nil timers.check(Raffia::Clock.now + LONG) # from now on
      assert_equal :end, timers.check(Raffia::Clock.now + LONG * 2)
    end
  end

  def test_without_limits_nothing_ends_it
    with_session({idle_timeout: nil, head_timeout: nil, write_timeout: nil}) do |timers, client, _|
      client.write(FRAMES.headers(1, client.request_fields, flags: [:end_stream]))
      assert_nil timers.check(Raffia::Clock.now + LONG)
    end
  end

  private

  # A request whose body does not come.
  def open_request(client, session)
    client.request(1, method: "POST", flags: [:end_headers])
    @requests.pop.tap { assert_equal 1, session.streams }
  end

  def await(timers)
    found = nil
    wait_until { found = timers.check(Raffia::Clock.now) }
    found
  end

  def with_session(options = {}, greet: true, **limits)
    here, there = TCPServer.open("127.0.0.1", 0) { [TCPSocket.new("127.0.0.1", _1.addr[1]), _1.accept] }
    @requests = Thread::Queue.new
    Raffia.run do |scope|
      stream = Raffia::Server::HTTP2::Stream
      session = Raffia::Native::HTTP2.new(there, stream, stream.template({}), {},
        Thread::Queue.new)
      scope.spawn do
        while (request = session.receive)
          @requests << request
        end
      end
      client = TestSupport::HTTP2::Connection.new(here)
      client.greet if greet
      settings = Raffia::Server::Options.build({idle_timeout: 60, **options})
      yield Raffia::Server::HTTP2::Timers.new(session, settings, **limits), client, session
      scope.cancel
    end
  ensure
    [here, there].compact.each(&:close)
  end
end
