# frozen_string_literal: true

require "test_helper"
require "logger"
require "stringio"
require "raffia"
require "raffia/server"
require "raffia/server/worker"

# The response to each error, on a stream that only records it.
class ServerErrorResponseTest < Raffia::TestCase
  Server = Raffia::Server
  Limiter = Server::Admission::ConcurrencyLimiter

  # A stream whose response has not begun, or stands at a stated point.
  class Stream
    attr_reader :answers
    attr_accessor :closing, :status

    def initialize(status: 0, resettable: true)
      @status = status
      @resettable = resettable
      @answers = []
    end

    def reset_response = @resettable

    def answer(response)
      @answers << response
      @status = response.first
      true
    end
  end

  def setup
    @log = StringIO.new
    @context = Server::Worker::Context.new(->(_) {}, Server::Options.build, Logger.new(@log))
    @env = {"REQUEST_METHOD" => "GET", "PATH_INFO" => "/a", "raffia.request_id" => "id-1"}
  end

  def teardown = @context.close

  def deliver(error, stream = Stream.new, hijack: nil)
    @response = Server::HTTP::ErrorResponse.new(@context, stream, @env, hijack)
    [@response.deliver(error), stream.answers.map { |status, _, body| [status, body.join] }]
  end

  def counted(name)
    memory = @context.telemetry.counters.memory
    Server::Observability::Metrics::Totals.new(memory, [::Process.pid]).counted(name)
  end

  def test_an_error_of_the_application
    errors = []
    @context.on_error { |error, env| errors << [error.message, env["PATH_INFO"]] }
    assert_equal [true, [[500, "Internal Server Error\n"]]], deliver(RuntimeError.new("oh"))
    assert_equal "id-1", @response.head.last["x-request-id"]
    assert_match(/request id-1 \(GET \/a\): .*oh/, @log.string)
    assert_equal [["oh", "/a"]], errors
    assert_equal 1, counted(:app_errors)
  end

  def test_a_refused_request_ends_the_connection
    stream = Stream.new
    answers = deliver(Server::Refused.new(413, "too long"), stream)
    assert_equal [false, [[413, "too long\n"]]], answers
    assert stream.closing
    assert_predicate @response, :refused?
  end

  def test_a_request_that_waited_too_long
    assert_equal [true, [[503, "Service Unavailable\n"]]], deliver(Limiter::Busy.new(2.5))
    assert_equal "3", @response.head.last["retry-after"]
    deliver(Limiter::Expired.new(1))
    assert_equal [1, 1], [counted(:shed), counted(:expired)]
  end

  def test_a_deadline_that_has_passed
    error = Server::Admission::TimeLimit::Passed.new(seconds: 1)
    assert_equal [true, [[504, "Gateway Timeout\n"]]], deliver(error)
    assert_equal 1, counted(:timed_out)
  end

  def test_a_client_that_has_gone_gets_none
    assert_equal [false, []], deliver(Server::Disconnected.new("gone"))
    assert_nil @response.head
    assert_equal 1, counted(:client_gone)
  end

  def test_a_response_that_has_ended_stands
    assert_equal [true, []], deliver(RuntimeError.new("close"), Stream.new(status: 200))
    assert_nil @response.head
  end

  def test_a_response_that_was_sent_in_part
    stream = Stream.new(status: 200, resettable: false)
    assert_equal [false, []], deliver(RuntimeError.new("late"), stream)
  end

  def test_a_socket_that_was_taken
    hijack = Struct.new(:used?).new(true)
    assert_equal [false, []], deliver(RuntimeError.new("mine"), hijack: hijack)
  end
end
