# frozen_string_literal: true

require_relative "server_contract"

# Differences when the application runs on threads. Other suites run there as well, see
# ServerContract.run_on_threads.
module ServerThreadsTest
  TEXT = {"content-type" => "text/plain"}.freeze
  BIG = ("x" * 1_000_000).freeze
  private_constant :TEXT, :BIG

  def test_the_application_runs_on_a_plain_thread
    app = ->(_env) {
      [200, TEXT.dup,
        [[Fiber.current_scheduler, Fiber.current.blocking?, Thread.current.name].inspect]]
    }
    serve(app) do |server|
      assert_match(/\A\[nil, (true|1), "raffia worker \d+"\]\z/, server.get.body)
    end
  end

  def test_so_many_run_at_a_time_and_the_others_wait
    gate = Thread::Queue.new
    running = Thread::Queue.new
    app = lambda do |_env|
      running << true
      gate.pop
      [200, TEXT.dup, ["ok"]]
    end
    serve(app, threads: 2) do |server|
      clients = Array.new(4) { server.connect.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n") }
      eventually do
        server.worker.context.admission.limiter
          .then { |gate| [gate.admitted, gate.waiting, running.size] } == [2, 2, 2]
      end
      4.times { gate << true }
      assert_equal %w[ok], clients.map { |client| client.answer.body }.uniq
    end
  end

  # Like Puma: another worker of this port may have a free thread.
  def test_a_worker_accepts_no_more_than_can_wait
    gate = Thread::Queue.new
    waiting = Thread::Queue.new
    line = nil
    app = lambda do |_env|
      gate.pop
      waiting << line.waiting
      [200, TEXT.dup, ["ok"]]
    end
    serve(app, threads: 1) do |server|
      line = server.worker.context.admission.limiter
      clients = Array.new(8) { server.connect.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n") }
      eventually { server.worker.context.crowded? }
      8.times { gate << true }
      assert_equal %w[ok], clients.map { |client| client.answer.body }.uniq
      assert_operator Array.new(8) { waiting.pop }.max, :<=, 2
    end
  end

  # Computing requests share Ruby's lock, so more of them at a time would only take longer.
  def test_requests_that_compute_leave_threads_to_those_that_do_not
    gate = Thread::Queue.new
    running = Thread::Queue.new
    app = lambda do |env|
      next [200, TEXT.dup, ["light"]] unless env["PATH_INFO"].start_with?("/report/2026")

      clock = ::Process::CLOCK_THREAD_CPUTIME_ID
      finish = ::Process.clock_gettime(clock) + 0.07
      nil while ::Process.clock_gettime(clock) < finish
      (running << true) && gate.pop if env["QUERY_STRING"] == "hold"
      [200, TEXT.dup, ["heavy"]]
    end
    serve(app, threads: 3) do |server|
      limiter = server.worker.context.admission.limiter
      server.get("/report/2026/1")
      held = Array.new(6) do |number|
        server.connect.say("GET /report/2026/#{number}?hold HTTP/1.1\r\nhost: test\r\n\r\n")
      end
      eventually { [limiter.admitted, limiter.waiting, running.size] == [2, 4, 2] }
      refute server.worker.context.crowded?
      assert_equal %w[light] * 3, Array.new(3) { server.get.body }
      6.times { gate << true }
      assert_equal %w[heavy], held.map { |client| client.answer.body }.uniq
      eventually { [limiter.admitted, limiter.waiting] == [0, 0] }
    end
  end

  def test_connections_that_are_kept_alive_do_not_keep_others_out
    gate = Thread::Queue.new
    app = ->(_env) { [200, TEXT.dup, [gate.pop]] }
    serve(app, threads: 1) do |server|
      ask = ->(client) { client.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n") }
      first, second, third = Array.new(3) { ask.call(server.connect) }
      line = server.worker.context.admission.limiter
      eventually { [server.connections, line.waiting] == [2, 1] }
      gate << "one"
      assert_equal "one", first.answer.body
      ask.call(first)
      eventually { [server.connections, line.waiting] == [3, 2] }
      last = ask.call(server.connect)
      gate << "two"
      assert_equal "two", second.answer.body
      eventually { [server.connections, line.waiting] == [4, 2] }
      3.times { gate << "ok" }
      assert_equal %w[ok], [first, third, last].map { |client| client.answer.body }.uniq
    end
  end

  # It would not know of those that it does not accept.
  def test_a_worker_that_refuses_long_waits_accepts_all
    gate = Thread::Queue.new
    app = lambda do |_env|
      gate.pop
      [200, TEXT.dup, ["ok"]]
    end
    serve(app, threads: 1, max_queue_time: 0.05) do |server|
      first = server.connect.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n")
      eventually { gate.num_waiting == 1 }
      others = Array.new(4) { server.connect.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n") }
      assert_equal [503], others.map { |client| client.answer.status }.uniq
      gate << true
      assert_equal "ok", first.answer.body
    end
  end

  def test_a_slow_upload_takes_no_thread
    app = ->(env) { [200, TEXT.dup, [env["rack.input"]&.read.to_s.bytesize.to_s]] }
    serve(app, threads: 1, lint: false) do |server|
      server.connect do |slow|
        slow.say("POST / HTTP/1.1\r\nhost: test\r\ncontent-length: 200000\r\n\r\n#{"x" * 100_000}")
        eventually { server.in_flight == 1 }
        assert_equal "0", server.get.body
        assert_equal "200000", slow.say("x" * 100_000).answer.body
      end
    end
  end

  def test_a_slow_reader_takes_no_thread
    app = lambda do |env|
      case env["PATH_INFO"]
      when "/array" then [200, TEXT.dup, Array.new(20) { BIG }]
      when "/file" then [200, TEXT.dup, File.open(RbConfig.ruby, "rb")]
      else [200, TEXT.dup, ["ok"]]
      end
    end
    serve(app, threads: 1, lint: false) do |server|
      %w[/array /file].zip([20_000_000, File.size(RbConfig.ruby)]) do |path, size|
        server.connect do |slow|
          slow.say("GET #{path} HTTP/1.1\r\nhost: test\r\n\r\n")
          slow.socket.wait_readable
          assert_equal "ok", server.get.body
          assert_equal size, slow.answer.body.bytesize
          assert_equal "ok", slow.get.body # what was kept for later has come, and nothing else
        end
      end
    end
  end

  # A stream buffers a bounded number of bytes for a slow client; then its thread waits.
  def test_a_stream_runs_ahead_of_its_client_by_so_much
    wrote = 0
    body = Enumerator.new { |pieces| 64.times { pieces << BIG.tap { wrote += 1 } } }
    serve(->(_env) { [200, TEXT.dup, body] }, threads: 1, lint: false) do |server|
      server.connect do |slow|
        slow.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n")
        eventually do
          server.worker.connections.cycles.first&.fiber
            .then { |at| at.is_a?(Thread) && at.status == "sleep" && wrote.positive? }
        end
        assert_operator wrote, :<, 32
        assert_equal 64_000_000, slow.answer.body.bytesize
      end
    end
  end

  # They would be used up by a few clients that stay.
  def test_streams_that_last_leave_the_threads_to_others
    done = Thread::Queue.new
    app = lambda do |env|
      next [200, TEXT.dup, ["ok"]] unless env["PATH_INFO"] == "/stream"

      [200, TEXT.dup, lambda { |stream|
        stream.write("begun")
        done.pop
        stream.close
      }]
    end
    serve(app, threads: 1, lint: false) do |server|
      streams = Array.new(3) { server.connect.say("GET /stream HTTP/1.1\r\nhost: test\r\n\r\n") }
      eventually { server.in_flight == 3 && done.num_waiting == 3 }
      assert_equal "ok", server.get.body
      3.times { done << true }
      assert_equal %w[begun], streams.map { |stream| stream.answer.body }.uniq
      eventually { server.worker.context.admission.limiter.admitted.zero? }
    end
  end

  def test_a_request_that_takes_too_long_is_interrupted
    ended = Thread::Queue.new
    app = lambda do |env|
      Raffia.deadline.extend_by(60) if env["PATH_INFO"] == "/extended"
      sleep((env["PATH_INFO"] == "/slow") ? 60 : 0.2)
      [200, TEXT.dup, ["ok"]]
    rescue Raffia::Cancel => cancel
      ended << cancel.class
      raise
    end
    serve(app, threads: 1, request_timeout: 0.1) do |server|
      server.connect do |client|
        assert_equal 504, client.get("/slow").status
        assert_equal "ok", client.get("/extended").body
      end
      assert_equal [Raffia::Cancel], [ended.pop]
      assert_match(/GET \/slow\) was interrupted/, log)
    end
  end

  def test_streams_that_last_are_bounded
    done = Thread::Queue.new
    closed = Thread::Queue.new
    body = Class.new do
      define_method(:call) { |stream| stream.write("begun") && done.pop && stream.close }
      define_method(:close) { closed << true }
    end
    app = ->(env) { [200, TEXT.dup, (env["PATH_INFO"] == "/stream") ? body.new : ["ok"]] }
    serve(app, threads: 1, max_io_threads: 2, lint: false) do |server|
      streams = Array.new(2) { server.connect.say("GET /stream HTTP/1.1\r\nhost: test\r\n\r\n") }
      eventually { done.num_waiting == 2 }
      server.connect do |client|
        refused = client.get("/stream")
        assert_equal [503, "1"], [refused.status, refused["retry-after"]]
        assert closed.pop
        assert_equal "ok", client.get.body
      end
      2.times { done << true }
      assert_equal %w[begun], streams.map { |stream| stream.answer.body }.uniq
      eventually { server.worker.context.long_lived.taken.zero? }
    end
  end

  def wait_in_any_case(gate)
    gate.pop
  rescue Raffia::Cancel
    retry
  end

  # Such as code in C. The client need not wait for it, and nobody gets its place.
  def test_a_request_whose_thread_cannot_be_interrupted_is_answered_without_it
    gate = Thread::Queue.new
    seen = Thread::Queue.new
    body = Class.new { define_method(:close) { seen << :closed } }.new
    app = lambda do |env|
      next [200, TEXT.dup, ["ok"]] unless env["PATH_INFO"] == "/stuck"

      thread = Thread.current
      env["rack.response_finished"] <<
        ->(_, status, _, error) { seen << [thread == Thread.current, status, error.class.name] }
      wait_in_any_case(gate)
      [200, TEXT.dup, body]
    end
    serve(app, threads: 2, request_timeout: 0.1, lint: false) do |server|
      server.connect do |client|
        assert_equal 504, client.get("/stuck").status
        assert_empty client.rest
      end
      limiter = server.worker.context.admission.limiter
      assert_equal 1, limiter.admitted
      assert_equal 1, server.counters.gauge(:threads_zombie)
      assert_equal "ok", server.get.body
      assert_match(/was answered, and its thread goes on. It is at:\n.*pop/, log)
      gate << true
      eventually { server.counters.gauge(:threads_zombie).zero? && limiter.admitted.zero? }
      assert_equal :closed, seen.pop
      assert_equal [true, 504, "Raffia::Server::HTTP::ThreadHandoff::Abandoned"], seen.pop
      assert_equal "ok", server.get.body
    end
  end

  # Another client may have its descriptor by then.
  def test_a_thread_that_was_left_does_not_reach_the_connection
    gate = Thread::Queue.new
    seen = Thread::Queue.new
    app = lambda do |env|
      wait_in_any_case(gate)
      env["rack.early_hints"].call("link" => "</a.css>; rel=preload")
      env["rack.hijack"].call
    rescue IOError, Raffia::Error => error
      seen << error.message
      raise "and this is no answer"
    end
    serve(app, threads: 1, request_timeout: 0.1, lint: false) do |server|
      server.connect do |client|
        assert_equal 504, client.get("/stuck").status
        gate << true
        assert_equal "the request is over, so its socket cannot be taken", seen.pop
        assert_empty client.rest
      end
      eventually { server.counters.gauge(:threads_zombie).zero? }
    end
  end

  # It may be over before a thread has begun.
  def test_a_request_without_time_is_answered
    serve(->(_env) { [200, TEXT.dup, ["ok"]] }, threads: 1, request_timeout: 1e-6) do |server|
      assert_empty Array.new(50) { server.get.status } - [200, 504]
    end
  end

  # One that has ended already is not.
  def test_the_time_of_a_request_is_that_of_the_application
    app = lambda do |_env|
      [200, TEXT.dup, Enumerator.new do |pieces|
        3.times { |number| pieces << number.to_s.tap { sleep(0.05) } }
      end]
    end
    serve(app, threads: 1, request_timeout: 0.1) do |server|
      assert_equal "012", server.get.body
    end
  end

  def test_a_thread_that_the_application_ends_is_replaced
    app = ->(env) { (env["PATH_INFO"] == "/exit") ? Thread.exit : [200, TEXT.dup, ["ok"]] }
    serve(app, threads: 1, lint: false) do |server|
      server.connect do |client|
        assert_equal 500, client.get("/exit").status
        assert_equal "ok", client.get.body
      end
      assert_match(/has ended the thread of its request/, log)
    end
  end

  # Rails 8.1 gives connections back there: on the thread that has them, and before that serves
  # another request.
  def test_response_finished_is_called_on_the_thread_of_the_request
    seen = Thread::Queue.new
    app = lambda do |env|
      thread = Thread.current
      env["rack.response_finished"] <<
        ->(_env, status, _headers, error) { seen << [thread == Thread.current, status, error] }
      raise "boom" if env["PATH_INFO"] == "/boom"

      [200, TEXT.dup, ["ok"]]
    end
    serve(app, threads: 1) do |server|
      server.get
      server.get("/boom")
      assert_equal [true, 200, nil], seen.pop
      assert_equal [true, "boom"], seen.pop.values_at(0, 2)
        .then { |same, error| [same, error.message] }
    end
  end

  def test_a_worker_that_must_end_interrupts_its_threads
    ended = Thread::Queue.new
    app = lambda do |_env|
      sleep
    ensure
      ended << true
    end
    serve(app, threads: 2, lint: false) do |server|
      client = server.connect.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n")
      eventually { server.worker.context.admission.limiter.admitted == 1 }
      server.drain(:now)
      assert ended.pop(timeout: Raffia::TestCase::PATIENCE)
      assert_match(/\AHTTP\/1.1 503/, client.rest)
    end
  end

  # Between the application's call and the delivery, no code of either would close it.
  def test_a_thread_whose_worker_must_end_is_interrupted_once
    running = Thread::Queue.new
    cleanup = []
    app = lambda do |_env|
      running << true
      sleep
    ensure
      cleanup << :begun
      sleep 0.2
      cleanup << :done
    end
    serve(app, lint: false) do |server|
      server.connect.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n")
      running.pop
      server.drain(:now)
      server.thread.value
    end
    assert_equal %i[begun done], cleanup
  end

  def test_a_response_that_is_interrupted_before_its_delivery_is_closed_once
    server = nil
    closed = Thread::Queue.new
    body = Class.new do
      define_method(:each) { |&block| block.call("x") }
      define_method(:close) { closed << true }
    end
    hook = TracePoint.new(:call) do
      server.worker.stop(:now)
      sleep(0.001) until Thread.current.pending_interrupt?
    end
    serve(->(_env) { [200, TEXT.dup, body.new] }, threads: 1, lint: false) do |running|
      server = running
      hook.enable(target: Raffia::Server::HTTP::ThreadedRequestCycle.instance_method(:respond))
      client = server.connect.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n")
      assert_match(/\A(HTTP\/1.1 503|\z)/, client.rest)
      server.thread.value
      assert_equal 1, closed.size
    ensure
      hook.disable
    end
  end

  # Their backtrace is that of the application, not of the connection's fiber.
  def test_requests_in_flight_show_where_their_thread_is
    gate = Thread::Queue.new
    serve(->(_env) { gate.pop && [200, TEXT.dup, ["ok"]] }, threads: 1, lint: false) do |server|
      client = server.connect.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n")
      eventually { gate.num_waiting == 1 }
      assert_match(/pop/, server.worker.in_flight(0)[:requests].first[:backtrace].first)
      # once a second
      eventually do
        %i[threads threads_busy waiting].map { |name| server.counters.gauge(name) } == [1, 1, 0]
      end
      gate << true
      assert_equal "ok", client.answer.body
    end
  end

  ServerContract.run_on_threads(self)
end
