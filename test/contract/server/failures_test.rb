# frozen_string_literal: true

require_relative "server_contract"

# Apps that go wrong, and clients that do.
module ServerFailuresTest
  TEXT = {"content-type" => "text/plain"}.freeze

  def test_an_app_that_raises_is_a_500_and_a_line_in_the_log
    serve(->(env) {
      (env["PATH_INFO"] == "/") ? [200, TEXT.dup, ["fine"]] : raise("the secret")
    }) do |server|
      server.connect do |client|
        answer = client.get("/broken")
        assert_equal [500, "Internal Server Error\n", "text/plain; charset=utf-8"],
          [answer.status, answer.body, answer["content-type"]]
        assert_match(/request #{answer["x-request-id"]} \(GET \/broken\).*the secret/, log)
        assert_equal "fine", client.get.body, "the connection does not survive"
      end
    end
  end

  class Speechless < StandardError
    def message = raise("no words")
  end

  def test_an_error_whose_message_raises_is_a_500
    serve(->(_) { raise Speechless }) do |server|
      server.connect { |client| assert_equal([500, 500], Array.new(2) { client.get.status }) }
      assert_match(/no message \(ServerFailuresTest::Speechless/, log)
    end
  end

  def test_the_request_id_of_the_client_is_taken
    serve(->(_) { raise "broken" }) do |server|
      assert_equal "abc-123", server.get("/", "x-request-id" => "abc-123")["x-request-id"]
      assert_match(/request abc-123 /, log)
      refute_equal "a b", server.get("/", "x-request-id" => "a b")["x-request-id"]
    end
  end

  def test_every_kind_of_error_is_one
    [NotImplementedError, NoMemoryError, SystemExit, SecurityError, SystemStackError].each do |kind|
      serve(->(env) {
        (env["PATH_INFO"] == "/") ? [200, TEXT.dup, ["fine"]] : raise(kind)
      }) do |server|
        server.connect do |client|
          assert_equal 500, client.get("/broken").status
          assert_equal "fine", client.get.body
        end
      end
    end
  end

  # Like the exception of a signal, but not from a signal handler.
  def test_an_interrupt_raised_by_the_app_is_an_error_of_its_request_only
    gate = Thread::Queue.new
    raised = [Interrupt.new, SignalException.new("TERM")]
    app = lambda do |env|
      raise raised.shift if env["PATH_INFO"] == "/broken"
      [200, TEXT.dup, [gate.pop]]
    end
    serve(app) do |server|
      neighbour = server.connect.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      eventually { gate.num_waiting == 1 }
      server.connect do |client|
        assert_equal [500, 500], Array.new(2) { client.get("/broken").status }
      end
      gate << "fine"
      assert_equal "fine", neighbour.answer.body
    end
  end

  def test_an_invalid_response_is_a_500_with_a_reason
    {
      nil => /the app returned nil \(NilClass\)/, "text" => /the app returned "text"/,
      [200, {}] => /the app returned \[200, \{\}\]/,
      ["x", {}, []] => /the response's status is "x"/, [99, {}, []] => /99 is no status/,
      [100, {}, []] => /100 is no status/, [101, {}, []] => /101 is no status/,
      [200, nil, []] => /the response's headers are nil/,
      [200, {}, nil] => /the response's body is nil/,
      [200, {}, [1]] => /something else than Strings/,
      [200, {1 => "x"}, []] => /1 is no name/,
      [101, {"rack.protocol" => "a\r\nb"}, ->(_) {}] => /is no name of a protocol/,
      [101, {"rack.protocol" => "a"}, []] => /its body cannot be called/
    }.each do |response, message|
      serve(->(_) { response }, lint: false) do |server|
        server.connect do |client|
          assert_equal([500, 500],
            Array.new(2) { client.get("/", "connection" => "upgrade", "upgrade" => "a").status },
            response.inspect)
        end
      end
      assert_match message, log
    end
  end

  def test_headers_that_raise_leave_nothing_behind
    value = Object.new
    value.define_singleton_method(:to_s) { raise "no value" }
    serve(->(_) { [200, {"x-first" => "1", "x-value" => value}, ["x"]] }, lint: false) do |server|
      server.connect do |client|
        2.times do
          assert_equal [500, nil], client.get.then { |answer| [answer.status, answer["x-first"]] }
        end
      end
    end
    assert_match(/no value/, log)
  end

  def test_headers_that_change_the_body_are_noticed
    body = +"body"
    value = Object.new
    value.define_singleton_method(:to_s) { body << " and more" && "value" }
    serve(->(_) { [200, {"x-value" => value}, [body]] }, lint: false) do |server|
      assert_equal 500, server.get.status
    end
    assert_match(/has changed/, log)
  end

  def test_a_status_that_is_a_string_is_forgiven
    serve(->(_) { ["201", {}, []] }, lint: false) { |server| assert_equal 201, server.get.status }
  end

  def test_a_cancelled_request_gets_503
    app = ->(_) { raise Raffia::Cancel, :enough }
    serve(app) do |server|
      server.connect do |client|
        assert_equal [503, "close"], client.get
          .then { |answer| [answer.status, answer["connection"]] }
        assert client.ended?
      end
      assert_equal 503, server.get.status
    end
  end

  def test_a_timeout_of_the_apps_own_is_an_error
    serve(->(_) { Raffia.timeout(0.01) { sleep } }) { |server| assert_equal 500, server.get.status }
  end

  def test_a_client_that_leaves_while_the_app_works_does_no_harm
    gate = Thread::Queue.new
    serve(->(env) {
      gate.pop if env["PATH_INFO"] == "/slow"
      [200, TEXT.dup, ["x" * 100_000]]
    }) do |server| # standard:disable Style/Semicolon
      server.connect do |client|
        client.say("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n") && eventually { gate.num_waiting == 1 }
      end
      gate << true
      assert_equal 200, server.get.status
      eventually { server.worker.connections.empty? }
    end
    assert_empty log
  end

  def test_a_malformed_request_is_refused_and_the_connection_closed
    serve(->(_) { [200, TEXT.dup, []] }) do |server|
      server.connect do |client|
        answer = client.say("GET / HTTP/1.1\r\nno colon\r\n\r\n").answer
        assert_equal [400, "close"], [answer.status, answer["connection"]]
        assert client.ended?
      end
    end
  end

  def test_each_limit_of_a_request_is_the_one_that_was_set
    limits = {max_line: 60, max_headers: 3, max_header_name: 17, max_head: 300,
              max_chunk_extensions: 10, max_trailers: 30}
    chunked = "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
    refused = {
      "GET /#{"a" * 60} HTTP/1.1\r\nhost: x\r\n\r\n" => 414,
      "GET / HTTP/1.1\r\nhost: x\r\na: 1\r\nb: 2\r\nc: 3\r\n\r\n" => 431,
      "GET / HTTP/1.1\r\nhost: x\r\n#{"a" * 18}: 1\r\n\r\n" => 431,
      "GET / HTTP/1.1\r\nhost: x\r\na: #{"1" * 300}\r\n\r\n" => 431,
      "#{chunked}1;#{"a" * 12}\r\nx\r\n0\r\n\r\n" => 400,
      "#{chunked}1\r\nx\r\n0\r\na: #{"1" * 40}\r\n\r\n" => 431
    }
    serve(->(env) { [200, {}, [env["rack.input"]&.read.to_s]] }, lint: false, **limits) do |server|
      refused.each do |text, status|
        server.connect do |client|
          assert_equal [status, "close"],
            client.say(text).answer.then { |answer| [answer.status, answer["connection"]] }, text
        end
      end
      assert_equal "x",
        server.connect { |client|
          client.say("#{chunked}1;a\r\nx\r\n0\r\na: 1\r\n\r\n").answer
            .body
        }
    end
  end

  def test_a_connection_has_so_many_requests
    serve(->(_) { [200, {}, ["x"]] }, lint: false, max_requests_per_connection: 2) do |server|
      server.connect do |client|
        assert_equal [nil, "close"], Array.new(2) { client.get["connection"] }
        assert_predicate client, :ended?
      end
    end
  end

  def test_a_silent_client_is_dropped
    serve(->(_) { [200, TEXT.dup, []] }, idle_timeout: 0.1) do |server|
      server.connect { |client| assert client.ended? }
      server.connect do |client|
        assert_equal 200, client.get.status
        assert client.ended?
      end
    end
  end

  def test_an_unfinished_request_gets_408
    serve(->(_) { [200, TEXT.dup, []] }, head_timeout: 0.1) do |server|
      server.connect { |client| assert_equal 408, client.say("GET / HTTP/1.1\r\nho").answer.status }
    end
  end

  def test_half_a_body_gets_408
    serve(->(env) { [200, TEXT.dup, [env["rack.input"].read]] }, body_timeout: 0.1) do |server|
      server.connect do |client|
        answer = client.say("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf").answer
        assert_equal [408, "close"], [answer.status, answer["connection"]]
      end
    end
    assert_empty log
  end

  def test_a_client_that_leaves_in_the_middle_of_a_body_does_no_harm
    serve(->(env) { [200, TEXT.dup, [env["rack.input"].read]] }) do |server|
      server.connect do |client|
        client.say("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf")
      end
      eventually { server.worker.connections.empty? }
      assert_equal 200, server.get.status
    end
    assert_empty log
  end

  def test_a_reader_of_a_body_learns_that_its_connection_is_closed
    heard = Queue.new
    app = lambda do |env|
      input = env["rack.input"]
      Fiber.schedule do
        input.read
      rescue => error
        heard << error
      end
      [200, {"content-type" => "text/plain"}, ["bye"]]
    end
    serve(app, lint: false) do |server|
      client = server.connect.say("POST / HTTP/1.1\r\nhost: x\r\nconnection: " \
        "close\r\ncontent-length: 9\r\n\r\nfew")
      assert_equal "bye", client.answer.body
      assert_instance_of IOError, heard.pop(timeout: Raffia::TestCase::PATIENCE)
    end
  end

  # Connections that clients have closed would be kept meanwhile, with their fibers and buffers.
  def test_the_loop_polls_while_connections_come_in_a_row
    held = nil
    turns = []
    app = lambda do |env|
      Fiber.blocking { sleep(0.01) until held } if env["PATH_INFO"] == "/hold"
      turns << Fiber.scheduler.stats[:turns]
      [200, TEXT.dup, ["ok"]]
    end
    serve(app, lint: false) do |server|
      first = server.connect.say("GET /hold HTTP/1.1\r\nhost: x\r\n\r\n")
      eventually { server.in_flight == 1 }
      others = Array.new(64) { server.connect.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n") }
      held = true
      assert_equal ["ok"], [first, *others].map { |client| client.answer.body }.uniq
      assert_operator turns.last - turns.first, :>=, 6
    end
  end

  # Threads have their own message, from the pool.
  def test_a_request_that_ends_its_own_fiber_is_answered
    finished = Thread::Queue.new
    app = lambda do |env|
      env["rack.response_finished"] << ->(*given) { finished << given.values_at(1, 3) }
      (env["PATH_INFO"] == "/kill") ? Fiber.current.kill : [200, TEXT.dup, ["ok"]]
    end
    serve(app, lint: false) do |server|
      answer = server.get("/kill")
      assert_equal [500, "close"], [answer.status, answer["connection"]]
      assert_equal [500, "the application has ended the fiber of its request"],
        finished.pop.then { |status, error| [status, error.message] }
      assert_equal "ok", server.get.body
    end
    assert_includes log, "has ended the fiber of its request"
  end

  ServerContract.run(self)
  # The body is here before the application is asked.
  ServerContract.run_on_threads(self, without: %i[
    test_a_reader_of_a_body_learns_that_its_connection_is_closed
    test_a_timeout_of_the_apps_own_is_an_error
    test_a_request_that_ends_its_own_fiber_is_answered
    test_the_loop_polls_while_connections_come_in_a_row
  ])
end
