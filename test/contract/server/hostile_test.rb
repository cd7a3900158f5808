# frozen_string_literal: true

require_relative "server_contract"
require "tempfile"

# Misbehaviour of applications and clients that happens in production.
module ServerHostileTest
  TEXT = {"content-type" => "text/plain"}.freeze

  # A body that counts how often it is closed.
  class Body
    attr_reader :closed

    def initialize(*pieces, on_close: nil)
      @pieces = pieces
      @on_close = on_close
      @closed = 0
    end

    def each(&) = @pieces.each(&)

    def close
      @closed += 1
      @on_close&.call
    end
  end

  def test_a_body_that_cannot_be_closed_is_no_second_response
    body = Body.new("whole", on_close: -> { raise "not closed" })
    serve(->(env) { (env["PATH_INFO"] == "/") ? [200, TEXT.dup, ["next"]] : [200, TEXT.dup, body] },
      lint: false) do |server|
      server.connect do |client|
        assert_equal "whole", client.get("/body").body
        assert_equal [200, "next"], client.get.then { |answer| [answer.status, answer.body] }
      end
    end
    assert_match(/not closed/, log)
    assert_equal 1, body.closed
  end

  def test_an_array_that_can_be_closed_is
    body = ["whole"]
    closed = 0
    body.define_singleton_method(:close) { closed += 1 }
    serve(->(_) { [200, TEXT.dup, body] }, lint: false) do |server|
      assert_equal "whole", server.get.body
    end
    assert_equal 1, closed
  end

  def test_the_body_of_a_hijacked_request_is_closed
    body = Body.new("ignored")
    app = lambda do |env|
      io = env["rack.hijack"].call
      io.write("taken")
      io.close
      [200, {}, body]
    end
    serve(app, lint: false) do |server|
      server.connect do |client|
        assert_equal "taken", client.say("GET / HTTP/1.1\r\nhost: a\r\n\r\n").rest
      end
      eventually { body.closed == 1 }
    end
  end

  def test_a_late_read_does_not_get_the_next_requests_body
    stale = error = nil
    app = lambda do |env|
      stale ||= env["rack.input"]
      error = (assert_raises(IOError) { stale.read } if env["PATH_INFO"] == "/second")
      [200, TEXT.dup, [(env["PATH_INFO"] == "/second") ? env["rack.input"].read : "not read"]]
    end
    serve(app, lint: false) do |server|
      server.connect do |client|
        client.post("/first", "first")
        assert_equal "second", client.post("/second", "second").body
      end
    end
    assert_match(/closed/, error.message)
  end

  def test_a_late_write_does_not_reach_the_next_response
    stream = error = nil
    fail_later = lambda do |out|
      stream = out
      raise "failed"
    end
    app = lambda do |env|
      next [200, TEXT.dup, fail_later] if env["PATH_INFO"] == "/first"

      error = assert_raises(IOError) { stream.write("stale") }
      [200, TEXT.dup, ["next"]]
    end
    serve(app, lint: false) do |server|
      server.connect do |client|
        assert_equal 500, client.get("/first").status
        assert_equal "next", client.get.body
      end
    end
    assert_match(/closed/, error.message)
  end

  # From another fiber, while the app of the next request works.
  def test_a_kept_env_does_not_reach_the_next_response
    envs = Thread::Queue.new
    app = lambda do |env|
      envs << env
      next [200, TEXT.dup, ["first"]] if env["PATH_INFO"] == "/first"

      stale = envs.pop
      stale["rack.early_hints"].call("link" => "</stale>")
      error = Raffia::Scope.open do |scope|
        scope.spawn { assert_raises(IOError) { stale["rack.hijack"].call } }.value
      end
      stale["rack.response_finished"] << ->(*) { envs << :stale }
      env["rack.early_hints"].call("link" => "</fresh>")
      [200, TEXT.dup, [error.message]]
    end
    serve(app, lint: false) do |server|
      server.connect do |client|
        assert_equal "first", client.get("/first").body
        hints, answer = client.get("/second"), client.answer
        assert_equal [[103, "</fresh>"], [200, nil]],
          [hints, answer].map { |each| [each.status, each["link"]] }
        assert_match(/the request is over/, answer.body)
        eventually { server.in_flight.zero? }
        assert_raises(IOError) { envs.pop["rack.hijack"].call }
        assert_empty envs
      end
    end
  end

  def test_an_answer_does_not_wait_for_the_rest_of_the_next_request
    serve(->(env) { [200, TEXT.dup, [env["PATH_INFO"]]] }) do |server|
      server.connect do |client|
        client.say("GET /a HTTP/1.1\r\nhost: a\r\n\r\nGET /b HT")
        assert_equal "/a", client.answer.body
        client.say("TP/1.1\r\nhost: a\r\n\r\n")
        assert_equal "/b", client.answer.body
      end
    end
  end

  def test_a_protocol_that_was_not_asked_for_is_not_switched_to
    serve(->(_) { [101, {"rack.protocol" => "other"}, ->(io) { io.close }] },
      lint: false) do |server|
      assert_equal 500, server.get.status
    end
  end

  def test_a_stream_without_a_body_has_its_end
    read = lambda do |out|
      out.write("#{out.read(0).inspect} " \
        "#{assert_raises(EOFError) { out.read_partial(10) }.message}")
      out.close
    end
    serve(->(_) { [200, TEXT.dup, read] }, lint: false) do |server|
      assert_equal "\"\" end of file reached", server.get.body
    end
  end

  def test_a_forked_child_does_not_keep_the_connection
    pid = nil
    app = lambda do |_|
      pid = fork { sleep }
      [200, {"content-type" => "text/plain", "connection" => "close"}, ["done"]]
    end
    serve(app) do |server|
      server.connect do |client|
        assert_equal "done", client.say("GET / HTTP/1.0\r\n\r\n").rest.split("\r\n\r\n").last
      end
    ensure
      Process.kill(:KILL, pid)
      Process.wait(pid)
    end
  end

  def test_a_forked_child_that_raises_does_not_answer
    app = lambda do |_|
      pid = fork or raise "in the child"
      Process.wait(pid)
      [200, TEXT.dup, ["parent"]]
    end
    serve(app) do |server|
      server.connect do |client|
        assert_equal [200, "parent"], client.get.then { |answer| [answer.status, answer.body] }
      end
    end
  end

  def test_an_app_may_use_the_other_ways_to_run_things
    app = lambda do |env|
      on = env["PATH_INFO"].delete_prefix("/").to_sym
      [200, TEXT.dup,
        [Raffia.run { Raffia.map([1, 2, 3], on: on, workers: 2) { |x| x * 2 }.inspect }]]
    end
    serve(app) do |server|
      server.connect do |client|
        %w[inline fibers threads processes].each do |on|
          assert_equal [on, "[2, 4, 6]"], [on, client.get("/#{on}").body]
        end
      end
    end
  end

  def test_fibers_of_the_app_do_not_keep_the_worker
    ended = Thread::Queue.new
    app = lambda do |_|
      Fiber.schedule do
        sleep
      ensure
        ended << :forever
      end
      Fiber.schedule { ended << sleep(0.2).then { :soon } }
      [200, TEXT.dup, ["x"]]
    end
    serve(app, drain_timeout: 1) { |server| server.get }
    assert_equal %i[soon forever], Array.new(2) { ended.pop }
  end

  def test_a_drain_may_take_as_long_as_it_likes
    serve(->(_) { [200, TEXT.dup, ["fine"]] }, drain_timeout: "off") do |server|
      assert_equal "fine", server.get.body
    end
  end

  def test_a_strange_env_at_the_end_of_a_request_does_no_harm
    app = lambda do |env|
      case env["PATH_INFO"]
      when "/freeze" then env.freeze
      when "/clear" then env.clear
      else env["REMOTE_USER"] = env["HTTP_REFERER"] = :someone
      end
      [200, TEXT.dup, ["fine"]]
    end
    %w[combined json].each do |format|
      Tempfile.create do |file|
        serve(app, lint: false, access_log: file.path, access_log_format: format) do |server|
          server.connect do |client|
            %w[/freeze /clear /other /end].each do |path|
              assert_equal "fine", client.get(path).body
            end
          end
        end
        assert_equal 4, File.readlines(file.path).size
      end
    end
    assert_empty log
  end

  def test_programs_do_not_inherit_connections
    serve(->(_) { [200, TEXT.dup, [`ls -l /proc/self/fd | grep -c socket`]] }) do |server|
      assert_equal "0\n", server.get.body
    end
  end

  def test_the_time_limit_does_not_strike_after_the_app
    app = lambda do |_|
      finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.3
      nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
      [200, TEXT.dup, Enumerator.new { |out| 3.times { out << "x".tap { sleep 0.1 } } }]
    end
    serve(app, request_timeout: 0.1, lint: false) do |server|
      assert_equal [200, "xxx"], server.get.then { |a| [a.status, a.body] }
    end
  end

  def test_an_interrupted_request_may_clean_up
    cleaned = nil
    app = lambda do |_|
      sleep
    ensure
      sleep 0.3
      cleaned = true
    end
    serve(app, request_timeout: 0.1, lint: false) { |server| assert_equal 504, server.get.status }
    assert cleaned
  end

  def test_where_no_file_can_be_opened_the_answer_is_an_error
    serve(->(_) { [200, TEXT.dup, ["the app's"]] }, static: [__dir__]) do |server|
      server.connect do |client|
        path = "/#{File.basename(__FILE__)}"
        assert_equal [200, File.size(__FILE__)],
          client.get(path).then { |answer| [answer.status, answer.body.bytesize] }
        without_files { assert_equal 500, client.get(path).status }
        assert_equal 200, client.get(path).status
      end
    end
  end

  def test_where_no_connection_can_be_accepted_those_that_wait_are_not_lost
    serve(->(_) { [200, TEXT.dup, ["fine"]] }) do |server|
      server.connect do |client|
        client.get
        waiting = nil
        held = [Socket.new(:INET, :STREAM)]
        without_files do
          waiting = held.each do |socket|
            socket.connect(Addrinfo.tcp("127.0.0.1", server.listener.port))
          end
          eventually { log.include?("accepts nothing for now") }
          assert_equal "fine", client.get.body
        end
        waiting.each { |socket| assert_equal "fine", ServerContract::Client.new(socket).get.body }
      ensure
        held&.each(&:close)
      end
    end
    assert_equal 1, log.scan("accepts nothing").size
  end

  # The limit of open files seems to be reached.
  def without_files
    limits = Process.getrlimit(:NOFILE)
    Process.setrlimit(:NOFILE, 3, limits.last)
    yield
  ensure
    Process.setrlimit(:NOFILE, *limits)
  end
end

ServerContract.run(ServerHostileTest)
