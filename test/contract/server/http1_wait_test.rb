# frozen_string_literal: true

require_relative "../scheduler/scheduler_case"
require_relative "../../unit/server/http1/http1_case"

# A connection waits for its socket in a fiber of any scheduler, or in its thread.
module Http1WaitSuite
  include HTTP1Case

  def test_a_request_that_comes_in_parts
    on_scheduler do |scheduler|
      Fiber.schedule do
        "GET /a HTTP/1.1\r\nHost: h\r\n\r\n".each_char do |char|
          @client << char
          scheduler.yield
        end
      end
      assert_equal "/a", @http1.receive(LONG, LONG)["PATH_INFO"]
    end
  end

  # A waiting connection does not stop the others, nor does one that always has input.
  def test_others_run_meanwhile
    done = 0
    on_scheduler do
      @client << GET * 200
      Fiber.schedule { 200.times { @http1.receive(LONG, LONG) && done += 1 } }
      Fiber.schedule { @client.wait_writable && @client.close_write }
      assert_nil @http1.receive(LONG, LONG) if done == 200
    end
    assert_equal 200, done
  end

  def test_a_peer_that_always_has_more_leaves_turns_to_others
    on_scheduler do
      served = turns = 0
      Fiber.schedule do
        400.times do
          @client << GET
          @http1.receive(LONG, LONG)
          served += 1
        end
      end
      while served < 400
        turns += 1
        sleep(0)
      end
      assert_operator turns, :>=, 10
    end
  end

  # The hooks in Ruby do not say when a fiber is about to wait, so there each answer is sent at
  # once.
  def test_answers_to_pipelined_requests_are_sent_together
    on_scheduler do
      @client << GET * 16
      sent = answers(16)
      size = sent.last / 16
      assert_equal (backend == :select) ? Array.new(16) { |n| (n + 1) * size } :
        [0] * 15 + [16 * size], sent
    end
  end

  def test_answers_to_pipelined_requests_are_sent_when_a_fiber_waits
    on_scheduler do |scheduler|
      @client << GET * 16
      before = answers(8).last
      scheduler.yield
      half = @http1.sent
      assert_equal [(backend == :select) ? half : 0, 2 * half], [before, answers(8).last]
    end
  end

  def test_nothing_comes_in_time
    on_scheduler { assert_nil @http1.receive(0.001, LONG) }
    # The stream is in the same state as without a wait.
    on_scheduler { assert_equal "GET", receive(GET)["REQUEST_METHOD"] }
  end

  def test_an_empty_line_is_not_yet_a_request
    on_scheduler do
      @client << "\r\n"
      assert_nil @http1.receive(0.001, LONG)
    end
  end

  def test_the_rest_of_a_head_does_not_come_in_time
    on_scheduler do
      @client << "GET / HTT"
      assert_status(408) { @http1.receive(LONG, 0.001) }
      assert_nil @http1.receive(LONG, LONG)
    end
  end

  # Bytes that trickle do not make the time longer.
  def test_the_time_for_a_head_is_for_all_of_it
    @client << "GET /"
    on_scheduler do
      Fiber.schedule do
        loop do
          @client << "x"
          sleep(0.005)
        end
      rescue SystemCallError, IOError
        nil
      end
      assert_status(408) { @http1.receive(LONG, 0.1) }
    ensure
      @socket.close
    end
  end

  def test_the_client_leaves
    on_scheduler do
      @client << "GET / HTT"
      Fiber.schedule { @client.close }
      assert_nil @http1.receive(LONG, LONG)
    end
  end

  def test_a_connection_that_breaks
    server = TCPServer.new("127.0.0.1", 0)
    client = TCPSocket.new("127.0.0.1", server.local_address.ip_port)
    socket = server.accept
    client.setsockopt(Socket::SOL_SOCKET, Socket::SO_LINGER, [1, 0].pack("ii"))
    client << "GE"
    client.close
    on_scheduler { assert_nil Raffia::Native::HTTP1.new(socket, TEMPLATE).receive(LONG, LONG) }
  ensure
    [server, socket].each { |io| io&.close }
  end

  def test_a_socket_that_is_closed_meanwhile
    on_scheduler do
      Fiber.schedule { @socket.close }
      assert_raises(IOError) { @http1.receive(LONG, LONG) }
      assert_raises(IOError) { @http1.receive(LONG, LONG) }
    end
  end

  # Like a cancellation. Bytes that have come so far stay.
  def test_a_wait_that_is_struck
    on_scheduler do |scheduler|
      @client << "GET /a HT"
      fiber = Fiber.schedule do
        @http1.receive(LONG, LONG)
      rescue ArgumentError
        @client << "TP/1.1\r\nHost: h\r\n\r\n"
        assert_equal "/a", @http1.receive(LONG, LONG)["PATH_INFO"]
      end
      scheduler.yield
      fiber.raise(ArgumentError)
    end
  end

  def test_many_connections_at_once
    pairs = Array.new(20) { UNIXSocket.pair }
    found = on_scheduler do |scheduler|
      paths = []
      pairs.each do |_, socket|
        http1 = Raffia::Native::HTTP1.new(socket, TEMPLATE)
        Fiber.schedule do
          3.times { paths << [http1.receive(LONG, LONG)["PATH_INFO"], http1.read_body(10, LONG)] }
        end
      end
      pairs.each_with_index do |(client, _), i|
        Fiber.schedule do
          3.times do |n|
            "POST /#{i}/#{n} HTTP/1.1\r\nHost: h\r\nContent-Length: " \
              "5\r\n\r\n#{10_000 + i}".scan(/.{1,7}/m) do |part|
              client << part
              scheduler.yield
            end
          end
        end
      end
      scheduler.yield until paths.size == 60
      paths
    end
    assert_equal Array.new(20) { |i| Array.new(3) { |n| ["/#{i}/#{n}", (10_000 + i).to_s] } }
      .flatten(1).sort, found.sort
  ensure
    pairs.flatten.each(&:close)
  end

  def test_100_continue
    on_scheduler do
      Fiber.schedule do
        assert_equal "HTTP/1.1 100 Continue\r\n\r\n", @client.readpartial(100)
        @client << "hi"
      end
      receive("#{POST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
      assert_equal "hi", body
    end
  end

  # Without a scheduler the thread waits.
  def test_in_a_thread
    waiting = Thread.new { @http1.receive(LONG, LONG)["PATH_INFO"] }
    Thread.pass until waiting.stop?
    @client << "GET /a HT"
    @client << "TP/1.1\r\nHost: h\r\n\r\n"
    assert_equal "/a", waiting.value
    assert_nil @http1.receive(0.001, LONG)
  end

  # Like TLS: no BasicSocket, with bytes that no descriptor announces.
  def test_an_io_that_is_no_socket
    layer = Layer.new(@socket, "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2")
    http1 = Raffia::Native::HTTP1.new(layer, TEMPLATE)
    on_scheduler do
      Fiber.schedule { @client << " HTTP/1.1\r\nHost: h\r\n\r\n" }
      assert_equal %w[/1 /2], Array.new(2) { http1.receive(LONG, LONG)["PATH_INFO"] }
      assert_nil http1.receive(0.001, LONG)
      @client.close
      assert_nil http1.receive(LONG, LONG)
    end
  end

  # @return [Array<Integer>] bytes sent after each answer
  def answers(count)
    Array.new(count) do
      @http1.receive(LONG, LONG)
      @http1.respond(200, {}, ["hello"])
      @http1.sent
    end
  end

  # Has some bytes already.
  class Layer
    def initialize(socket, ahead)
      @socket = socket
      @ahead = +ahead
    end

    def to_io = @socket

    def read_nonblock(most, buffer, exception:)
      if @ahead.empty?
        @socket.read_nonblock(most, buffer, exception: exception)
      else
        buffer.replace(@ahead.slice!(0, [most, 5].min))
      end
    end
  end
end

SchedulerCase.run(Http1WaitSuite)
