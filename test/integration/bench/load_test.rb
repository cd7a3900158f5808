# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "socket"
require_relative "../../../bench/server/service"
require_relative "../../../bench/server/tools"

# The load of bench:server takes no answer for right that is not, and counts what it says it counts.
class BenchLoadTest < Raffia::TestCase
  RIGHT = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, world\n"
  CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nHello\r\n8\r\n, " \
    "world\n\r\n0\r\n\r\n"
  BRIEF = %w[warm=0 seconds=0.5 patience=30].freeze

  def setup = ServerBench::Tools.compile

  WRONG = {
    "HTTP/1.1 500 No\r\nContent-Length: 13\r\n\r\nHello, world\n" => "its status is not 200",
    "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHello, world" => "its length is wrong",
    "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World\n" => "its body is wrong",
    "HTTP/1.1 200 OK\r\n\r\nHello, world\n" => "it says nothing of its length",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: " \
      "chunked\r\n\r\n5\r\nHello\r\n0\r\n\r\n" => "its body is too short",
    "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello" => "closed in the middle of an answer",
    RIGHT * 2 => "an answer that nobody asked for",
    "" => "closed without an answer"
  }.freeze

  WRONG.each_with_index do |(answer, reason), number|
    define_method("test_wrong_#{number}_#{reason.tr(" ", "_")}") do
      answering(answer, close: true) do |port|
        _, errors, status = run_load(port, 1, *BRIEF)
        assert_includes errors, reason
        refute_predicate status, :success?
      end
    end
  end

  def test_an_answer_to_somebody_else_is_seen
    echo = ->(request) {
      body = request.split("\r\n\r\n", 2).last
      wrong = body.sub(/"connection": *\d+/) { _1.sub(/\d\z/, "7") }
      "HTTP/1.1 200 OK\r\nContent-Length: 1024\r\n\r\n#{wrong}"
    }
    answering(RIGHT, echo) do |port|
      assert_includes run_load(port, 2, "mix=json", *BRIEF)[1], "its body is wrong"
    end
  end

  def test_answers_may_come_in_pieces_of_any_size
    [RIGHT, CHUNKED].each do |answer|
      [1, 3, 7, 64].each do |size|
        result = answering(answer, size:) { |port| result_of(port, 1, "bursts=3", "patience=30") }
        assert_equal [3, 0, 0], [*result[:closed].values_at(:requests, :unanswered),
          result[:reconnects]]
      end
    end
  end

  def test_a_server_that_closes_between_answers_is_connected_to_again_and_that_is_counted
    result = answering(RIGHT, close: true) { |port| result_of(port, 2, *BRIEF) }
    assert_operator result[:reconnects], :>=, result[:closed][:requests]
  end

  def test_a_burst_is_one_request_on_each_connection
    result = answering(RIGHT) { |port| result_of(port, 5, "bursts=3") }
    assert_equal 15, result[:closed][:requests]
  end

  def test_what_is_not_answered_in_time_is_counted_and_does_not_hang
    silent = ->(_) { "" }
    result = answering(RIGHT, silent) { |port| result_of(port, 3, "bursts=2", "patience=1") }
    assert_equal [0, 3], result[:closed].values_at(:requests, :unanswered)
  end

  # The same times of arrival each time, and no request is left out when the server is slower.
  def test_an_open_loop_sends_at_a_rate_whatever_the_server_does
    slow = lambda do |_|
      sleep(0.01)
      RIGHT
    end
    counts = [RIGHT, slow].map do |answer|
      result = answering(RIGHT, answer) do |port|
        result_of(port, 1, "rate=300", "open=0.5", *BRIEF)
      end
      assert_equal 0, result[:open][:unanswered]
      result[:open][:requests]
    end
    assert_equal(*counts)
    assert_in_delta 150, counts.first, 40
  end

  def test_it_says_how_it_is_called
    _, errors, status = Open3.capture3(program, "80", "1", "mix=nonsense")
    assert_match(/usage: load/, errors)
    assert_equal 2, status.exitstatus
  end

  private

  def program = ServerBench::Tools.program("load")

  def run_load(port, connections, *arguments)
    Open3.capture3(program, port.to_s, connections.to_s, *arguments, stdin_data: "." * 10)
  end

  def result_of(...)
    output, errors, status = run_load(...)
    assert_predicate status, :success?, errors
    JSON.parse(output.lines.last, symbolize_names: true)
  end

  # A server in threads that gives its answers in turn, and the last of them again and again.
  def answering(*answers, close: false, size: nil)
    server = TCPServer.new("127.0.0.1", 0)
    threads = []
    acceptor = Thread.new do
      loop { threads << Thread.new(server.accept) { |socket| speak(socket, answers, close, size) } }
    rescue IOError, Errno::EBADF
      nil # the test is over
    end
    yield server.local_address.ip_port
  ensure
    server.close
    [acceptor, *threads].each { |thread| thread.kill.join }
  end

  def speak(socket, answers, close, size)
    answers = answers.dup
    while (request = receive(socket))
      answer = (answers.size > 1) ? answers.shift : answers.first
      answer = answer.call(request) if answer.respond_to?(:call)
      size ? answer.scan(/.{1,#{size}}/m) { |part| socket.write(part) } : socket.write(answer)
      return if close
    end
  rescue SystemCallError
    nil # the load has gone
  ensure
    socket.close
  end

  def receive(socket)
    head = socket.gets("\r\n\r\n") or return
    head << socket.read(head[/^content-length: (\d+)/i, 1].to_i)
  end
end
