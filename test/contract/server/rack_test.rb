# frozen_string_literal: true

require_relative "server_contract"

# The env of an application, and what Rack allows beyond returning a response.
module ServerRackTest
  TEXT = {"content-type" => "text/plain"}.freeze

  def test_the_env_tells_of_server_client_and_request
    env = nil
    serve(->(given) { [200, TEXT.dup, []].tap { env = given } }, lint: false) do |server|
      server.get("/a%20b?c=d", "x-some-header" => "1")
      expected = {
        "REQUEST_METHOD" => "GET", "SCRIPT_NAME" => "", "PATH_INFO" => "/a%20b",
        "QUERY_STRING" => "c=d", "SERVER_PROTOCOL" => "HTTP/1.1",
        "HTTP_HOST" => "test", "HTTP_X_SOME_HEADER" => "1", "SERVER_NAME" => "test",
        "REMOTE_ADDR" => "127.0.0.1",
        "rack.url_scheme" => "http", "rack.multithread" => true, "rack.multiprocess" => true,
        "rack.run_once" => false, "rack.hijack?" => true
      }
      assert_equal expected, env.slice(*expected.keys)
      assert_respond_to env["rack.errors"], :puts
      refute env.frozen?
    end
  end

  def test_each_request_has_an_env_of_its_own
    envs = []
    serve(->(env) { [200, TEXT.dup, []].tap { envs << env } }, lint: false) do |server|
      server.connect { |client| 2.times { client.get("/", "x" => "1") } }
    end
    refute_same(*envs)
    refute_same(*envs.map { |env| env["rack.response_finished"] })
  end

  def test_a_request_without_a_body_has_an_empty_input
    app = ->(env) {
      [200, TEXT.dup, [env["rack.input"].read.inspect, env["rack.input"].read(1).inspect]]
    }
    serve(app) { |server| assert_equal "\"\"nil", server.get.body }
  end

  def test_response_finished_callbacks_run_in_reverse
    calls = Thread::Queue.new
    app = lambda do |env|
      2.times do |index|
        env["rack.response_finished"] << ->(*arguments) { calls << [index, *arguments] }
      end
      env["rack.response_finished"] << ->(*) { raise "in vain" }
      [201, TEXT.dup, ["x"]]
    end
    serve(app) do |server|
      server.get
      assert_equal([[1, 201, nil], [0, 201, nil]],
        Array.new(2) { calls.pop }.map { |index, _, status, _, error| [index, status, error] })
      eventually { log.include?("in vain") }
    end
  end

  def test_response_finished_callbacks_get_an_error
    calls = Thread::Queue.new
    app = lambda do |env|
      env["rack.response_finished"] <<
        ->(_, status, headers, error) { calls << [status, headers, error.message] }
      raise "broken"
    end
    serve(app) do |server|
      assert_equal 500, server.get.status
      status, headers, error = calls.pop
      assert_equal [500, "broken"], [status, error]
      assert_equal "text/plain; charset=utf-8", headers["content-type"]
    end
  end

  # Whether the application has answered or raised: what is called blocks the loop, which would send
  # what is collected.
  def test_the_client_has_its_answer_before_they_are_called
    gate, in_time = Thread::Queue.new, Thread::Queue.new
    wait = ->(_) { gate.pop(timeout: Raffia::TestCase::PATIENCE / 2) }
    app = lambda do |env|
      env["rack.response_finished"] << ->(*) { in_time << Fiber.blocking(&wait) }
      (env["PATH_INFO"] == "/raise") ? raise("broken") : [200, TEXT.dup, ["x"]]
    end
    serve(app) do |server|
      %w[/ /raise /].zip([200, 500, 200]) do |path, status|
        server.connect do |client|
          # Another request is there already, so nothing is sent for want of one.
          client.say("GET #{path} HTTP/1.1\r\nhost: x\r\n\r\n" * 2)
          assert_equal status, client.answer.status
          gate << true
          assert in_time.pop, path
          assert_equal status, client.answer.status
          gate << true
          assert in_time.pop, path
        end
      end
    end
  end

  # Whatever they raise is logged, and neither ends the connection nor others'.
  def test_errors_of_response_finished_callbacks_are_logged
    errors = [NotImplementedError, SystemExit, Interrupt]
    app = lambda do |env|
      env["rack.response_finished"] << ->(*) { raise errors.shift } if env["PATH_INFO"] == "/"
      [200, TEXT.dup, [sleep(0.01) && "x"]]
    end
    serve(app) do |server|
      other = server.connect
      server.connect do |client|
        3.times do
          other.say("GET /other HTTP/1.1\r\nhost: x\r\n\r\n")
          assert_equal [200, 200], [client.get.status, other.answer.status]
        end
      end
      eventually { %w[NotImplementedError SystemExit Interrupt].all? { |name| log.include?(name) } }
    end
  end

  def test_hints_go_ahead_of_the_response
    app = lambda do |env|
      env["rack.early_hints"].call("link" => "</a.css>; rel=preload\n</b.js>; rel=preload")
      env["rack.early_hints"].call("link" => ["</c.css>; rel=preload"])
      [200, TEXT.dup, ["x"]]
    end
    serve(app, lint: false) do |server|
      server.connect do |client|
        hints = client.get
        assert_equal [103, ["</a.css>; rel=preload", "</b.js>; rel=preload"], %w[link]],
          [hints.status, hints.headers["link"], hints.headers.keys]
        assert_equal [103, 200], [client.answer.status, client.answer.status]
      end
    end
  end

  def test_http_1_0_gets_no_hints
    app = ->(env) { env["rack.early_hints"].call("link" => "</a>") || [200, TEXT.dup, ["x"]] }
    serve(app) do |server|
      server.connect do |client|
        assert_equal 200, client.say("GET / HTTP/1.0\r\n\r\n").answer.status
      end
    end
  end

  def test_an_app_may_take_the_socket
    socket = Thread::Queue.new
    app = lambda do |env|
      socket << env["rack.hijack"].call
      [-1, {}, []]
    end
    serve(app, lint: false) do |server|
      server.connect do |client|
        client.say("GET / HTTP/1.1\r\nhost: x\r\n\r\nand more")
        taken = socket.pop
        assert_kind_of BasicSocket, taken
        assert_equal "and more", taken.readpartial(100)
        taken.write("anything")
        taken.close
        assert_equal "anything", client.rest
      end
      eventually { server.worker.connections.empty? }
    end
  end

  def test_an_app_may_take_the_socket_after_the_head
    app = lambda do |env|
      [200, {"content-type" => "text/special", "rack.hijack" => lambda { |io|
        io.write("by hand")
        io.close
      }}, []]
    end
    serve(app) do |server|
      server.connect do |client|
        answer = client.get
        assert_equal ["text/special", "close", "by hand", nil],
          [answer["content-type"], answer["connection"], answer.body, answer["rack.hijack"]]
      end
    end
  end

  def test_another_protocol_may_take_over
    offered = nil
    app = lambda do |env|
      offered = env["rack.protocol"]
      [101, {"rack.protocol" => "echo", "x-extra" => "1"}, lambda { |stream|
        stream.write(stream.read(5).upcase)
      }]
    end
    serve(app) do |server|
      server.connect do |client|
        answer = client.get("/", "connection" => "upgrade", "upgrade" => "echo")
        assert_equal [101, "echo", "upgrade", "1", nil],
          [answer.status, answer["upgrade"], answer["connection"], answer["x-extra"],
            answer["transfer-encoding"]]
        client.say("hello")
        assert_equal "HELLO", client.rest
      end
      assert_equal %w[echo], offered
    end
  end

  # Written for Rack 2.
  def test_another_protocol_may_be_named_as_it_is_on_the_wire
    names = [%w[upgrade connection], %w[Upgrade Connection]]
    app = lambda do |_|
      upgrade, connection = names.shift
      [101, {upgrade => "echo", connection => "Upgrade", "x-extra" => "1"}, lambda { |stream|
        stream.write(stream.read(5).upcase)
      }]
    end
    serve(app, lint: false) do |server|
      2.times do
        server.connect do |client|
          answer = client.get("/", "connection" => "upgrade", "upgrade" => "echo")
          found = [answer.status, *answer.headers.values_at("upgrade", "connection", "x-extra")]
          assert_equal [101, ["echo"], ["upgrade"], ["1"]], found
          assert_equal "HELLO", client.say("hello").rest
        end
      end
    end
  end

  # A child that the app forks may write to the socket that it was given, and close it.
  def test_a_forked_child_answers_on_a_hijacked_socket
    need_fork
    answer = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n\r\nchild"
    app = lambda do |env|
      socket = env["rack.hijack"].call
      pid = fork do
        socket.write(answer)
        socket.close
      ensure
        exit!(0)
      end
      ::Process.detach(pid)
      socket.close
      [200, {}, []]
    end
    serve(app, lint: false) do |server|
      server.connect { |client| assert_equal ["child", ""], [client.get.body, client.rest] }
    end
  end

  def test_fiber_and_thread_locals_do_not_reach_the_next_request
    app = lambda do |_|
      found = [Fiber[:mine], Thread.current[:mine]].inspect
      Fiber[:mine] = Thread.current[:mine] = 1
      [200, TEXT.dup, [found]]
    end
    serve(app) do |server|
      server.connect { |client| 2.times { assert_equal "[nil, nil]", client.get.body } }
    end
  end

  def test_a_farewell_is_said_when_the_worker_drains
    said = Thread::Queue.new
    app = lambda do |env|
      cancelled = env["raffia.drain"].call { said << :cancelled }
      cancelled.cancel
      env["raffia.drain"].call { said << :said }
      env["raffia.drain"].call { raise "no goodbye" }
      [200, TEXT.dup, []]
    end
    serve(app) do |server|
      server.get
      server.drain
      assert_equal :said, said.pop
      assert said.empty?
    end
    assert_match(/no goodbye/, log)
  end

  def test_the_address_of_a_client_is_written_as_usual
    serve(->(env) { [200, {"content-type" => "text/plain"}, [env["REMOTE_ADDR"]]] }) do |server|
      %w[127.0.0.1 127.9.10.99 127.100.205.254].each do |address|
        TCPSocket.open("127.0.0.1", server.listener.port, address) do |socket|
          assert_equal address, ServerContract::Client.new(socket).get.body
        end
      rescue Errno::EADDRNOTAVAIL
        skip "this machine has 127.0.0.1 alone"
      end
    end
  end

  ServerContract.run(self)
  # Threads have no loop, and keep what is left in them, as those of other servers do.
  ServerContract.run_on_threads(self, without: %i[
    test_fiber_and_thread_locals_do_not_reach_the_next_request
  ])
end
