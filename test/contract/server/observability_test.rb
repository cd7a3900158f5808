# frozen_string_literal: true

require_relative "server_contract"
require "tmpdir"
require "raffia/server/observability/metrics/totals"

# Counters, logs and admission of a server.
module ServerWatch
  OK = ->(_env) { [200, {"content-type" => "text/plain"}, ["hello"]] }

  # @return [Raffia::Server::Observability::Metrics::Totals]
  def totals(server)
    Raffia::Server::Observability::Metrics::Totals.new(server.worker.context.telemetry.counters
      .memory,
      [Process.pid])
  end

  def test_every_request_is_counted_once
    app = ->(env) {
      [env["PATH_INFO"].delete("/").to_i, {}, (env["PATH_INFO"] == "/204") ? [] : ["x" * 100]]
    }
    serve(app, lint: false) do |server|
      server.connect do |client|
        10.times { assert_equal(200, client.get("/200").status) }
        client.get("/302")
        client.get("/404", method: "HEAD")
        client.get("/503")
        client.get("/204")
        eventually { totals(server).requests == 14 }
        assert_equal([1, 1, 0],
          %i[connections accepted in_flight].map { |name|
            (name == :accepted) ? totals(server).counted(name) : totals(server).gauge(name)
          })
      end
      eventually { totals(server).gauge(:connections).zero? }
      sums = totals(server)
      assert_equal({"1xx" => 0, "2xx" => 11, "3xx" => 1, "4xx" => 1, "5xx" => 1}, sums.classes)
      assert_equal([14, 14, 0], [sums.requests, sums.duration.count, sums.gauge(:in_flight)])
    end
  end

  def test_bytes_include_framing
    serve(OK) do |server|
      request = "GET / HTTP/1.1\r\nhost: test\r\n\r\n"
      sent = server.connect do |client|
        client.say(request * 3)
        3.times.sum { client.answer.then { |answer| answer.raw.bytesize + answer.body.bytesize } }
      end
      eventually { totals(server).sent == sent }
      assert_equal([3, request.bytesize * 3], [totals(server).requests, totals(server).received])
    end
  end

  def test_refusals_are_counted_by_status
    serve(OK, max_head: 1_000, max_body: 10) do |server|
      assert_equal(400,
        server.connect { |client| client.say("GET / HTTP/1.1\r\n\r\n").answer.status })
      assert_equal(431, server.connect { |client| client.get("/", "x" => "y" * 2_000).status })
      assert_equal(413, server.post("/", "x" * 11).status)
      eventually { totals(server).refusals.values.sum == 3 }
      assert_equal({"400" => 1, "431" => 1, "413" => 1},
        totals(server).refusals.reject { |_, count| count.zero? })
    end
  end

  def test_errors_of_the_app_are_counted
    serve(->(_) { raise "no" }) do |server|
      2.times { assert_equal(500, server.get.status) }
      eventually { totals(server).requests == 2 }
      assert_equal([2, 2], [totals(server).counted(:app_errors), totals(server).classes["5xx"]])
    end
  end

  def test_a_client_that_goes_is_counted
    serve(->(_) { [200, {}, Enumerator.new { |out| loop { out << "x" * 100_000 } }] },
      lint: false) do |server|
      server.connect { |client| client.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n").gets }
      eventually { totals(server).counted(:client_gone) == 1 }
      eventually { totals(server).gauge(:in_flight).zero? }
    end
  end

  def test_the_access_log
    Dir.mktmpdir do |folder|
      path = File.join(folder, "access.log")
      serve(OK, access_log: path, access_log_format: :json, max_head: 1_000) do |server|
        server.get("/a?b=1", "x-request-id" => "mine", "user-agent" => "test/1")
        server.get("/", method: "HEAD")
        server.connect { |client| client.say("GET / HTTP/1.1\r\n\r\n").answer }
        eventually { File.readlines(path).size == 3 }
        server.get("/last")
      end
      one, head, bad, last = File.readlines(path).map { |line| JSON.parse(line) }
      assert_equal(["mine", "/a?b=1", "GET", 200, 5, "test/1", "127.0.0.1"],
        one.values_at("id", "target", "method", "status", "bytes", "agent", "remote"))
      assert_equal(["HEAD", 200, 0], head.values_at("method", "status", "bytes"))
      assert_equal([400, "127.0.0.1", nil], bad.values_at("status", "remote", "method"))
      assert_equal("/last", last["target"], "what came just before the end is there too")
    end
  end

  def test_after_a_reopen_lines_go_to_a_new_file
    Dir.mktmpdir do |folder|
      path = File.join(folder, "access.log")
      serve(OK, access_log: path) do |server|
        server.get("/1")
        eventually { totals(server).requests == 1 }
        File.rename(path, "#{path}.1")
        server.worker.reopen
        eventually { File.exist?(path) }
        server.get("/2")
      end
      assert_equal(["/1", "/2"], ["#{path}.1", path].map { |file| File.read(file)[/GET (\S+)/, 1] })
    end
  end

  def test_a_full_disk_does_not_end_the_serving
    skip "no /dev/full here" unless File.exist?("/dev/full")

    serve(OK, access_log: "/dev/full") do |server|
      3.times { assert_equal(200, server.get.status) }
      eventually { log.include?("No space left on device") }
      assert_equal(200, server.get.status)
    end
  end

  def test_so_many_requests_are_inside_and_the_others_wait
    gate = Thread::Queue.new
    inside = most = 0
    app = lambda do |_|
      most = [most, inside += 1].max
      gate.pop
      inside -= 1
      [200, {}, ["done"]]
    end
    serve(app, lint: false, max_in_flight: 3) do |server|
      clients = Array.new(20) { Thread.new { server.get.status } }
      eventually { server.worker.context.admission.limiter.waiting == 17 }
      20.times { gate << true }
      assert_equal([[200], 3], [clients.map(&:value).uniq, most])
    end
  end

  def test_a_stream_does_not_keep_its_place
    gate = Thread::Queue.new
    app = ->(env) {
      if env["PATH_INFO"] == "/stream"
        [200, {}, ->(stream) { gate.pop && stream.close }]
      else
        [200, {}, ["done"]]
      end
    }
    serve(app, lint: false, max_in_flight: 1) do |server|
      server.connect do |client|
        client.say("GET /stream HTTP/1.1\r\nhost: test\r\n\r\n")
        assert_equal(200, server.get.status)
        gate << true
        assert_equal(200, client.answer.status)
      end
    end
  end

  def test_a_request_that_waited_too_long_gets_503_with_retry_after
    gate = Thread::Queue.new
    app = ->(env) {
      (env["PATH_INFO"] == "/slow") ? gate.pop && [200, {}, []] : [200, {}, ["done"]]
    }
    serve(app, lint: false, max_in_flight: 1, max_queue_time: 0.5) do |server|
      server.connect do |slow|
        slow.say("GET /slow HTTP/1.1\r\nhost: test\r\n\r\n")
        eventually { totals(server).gauge(:in_flight) == 1 }
        server.connect do |client|
          answer = client.get
          assert_equal([503, true], [answer.status, answer["retry-after"].to_i.positive?])
          gate << true
          assert_equal(200, slow.answer.status)
          assert_equal(200, client.get.status, "the connection was kept")
        end
      end
      eventually { totals(server).requests == 3 }
      assert_equal(1, totals(server).counted(:shed))
    end
  end

  def test_the_time_at_a_front_counts
    serve(OK, max_queue_time: 50) do |server|
      early = format("t=%.3f", Time.now.to_f - 100.5)
      answer = server.get("/", "x-request-start" => early)
      assert_equal([503, true], [answer.status, answer["retry-after"].to_i.between?(101, 150)])
      assert_equal(200, server.get("/", "x-request-start" => format("t=%.3f", Time.now.to_f))
        .status)
      assert_equal(200, server.get("/", "x-request-start" => "nonsense").status)
    end
  end

  def test_a_client_that_has_given_up_is_not_served
    asked = 0
    serve(->(env) { OK.call(env).tap { asked += 1 } }) do |server|
      early = format("t=%.3f", Time.now.to_f - 5)
      assert_equal(503, server.get("/", "request-timeout" => "3", "x-request-start" => early)
        .status)
      assert_equal(200, server.get("/", "request-timeout" => "30", "x-request-start" => early)
        .status)
      assert_equal([1, 1], [asked, totals(server).counted(:expired)])
    end
  end

  def test_the_app_finds_the_clients_deadline
    app = ->(_) { [200, {}, [Raffia.deadline ? Raffia.deadline.limit.to_f.round(1).to_s : "none"]] }
    serve(app, lint: false) do |server|
      assert_equal(["7.0", "none", "none"],
        [{"request-timeout" => "7"}, {},
          {"request-timeout" => "soon"}].map { |headers| server.get("/", **headers).body })
    end
    serve(app, lint: false, request_timeout: 5) do |server|
      assert_equal(["5.0", "5.0", "2.0"],
        [{}, {"request-timeout" => "7"},
          {"request-timeout" => "2"}].map { |headers| server.get("/", **headers).body })
    end
    serve(app, lint: false, request_deadline: false) do |server|
      assert_equal("none", server.get("/", "request-timeout" => "7").body)
    end
  end

  def test_a_request_whose_time_is_up_is_interrupted_and_its_connection_survives
    ended = []
    app = lambda do |env|
      sleep if env["PATH_INFO"] == "/long"
      [200, {}, ["done"]]
    ensure
      ended << env["PATH_INFO"]
    end
    serve(app, lint: false, request_timeout: 0.05) do |server|
      server.connect do |client|
        assert_equal(504, client.get("/long").status)
        assert_equal(504, client.post("/long", "a body").status)
        assert_equal(200, client.get.status)
      end
      assert_equal(%w[/long /long /], ended)
      assert_equal(2, totals(server).counted(:timed_out))
      assert_match(/was interrupted: .*observability_test\.rb/m, log)
    end
  end

  def test_the_app_may_ask_for_more_time
    app = lambda do |_|
      Raffia.deadline.extend_by(50)
      sleep(0.3)
      [200, {}, ["done"]]
    end
    serve(app, lint: false, request_timeout: 0.25) { |server| assert_equal(200, server.get.status) }
  end

  def test_a_limit_of_the_apps_own_is_an_error_of_the_app
    serve(->(_) { Raffia.timeout(0.01) { sleep } }, request_timeout: 30) do |server|
      assert_equal(500, server.get.status)
      assert_equal([1, 0], %i[app_errors timed_out].map { |name| totals(server).counted(name) })
    end
  end

  # One request at a time takes 5 ms of the loop, and 30 clients ask without end: so all would wait
  # for 150 ms.
  def test_a_standing_queue_is_shed
    skip "the select engine does not say since when a socket is readable" if backend == :select

    app = lambda do |_|
      Fiber.blocking { sleep(0.005) }
      [200, {}, ["done"]]
    end
    serve(app, lint: false, queue_target: 0.02) do |server|
      answers =
        Array.new(30) { Thread.new { server.connect { |client| Array.new(20) { client.get } } } }
          .flat_map(&:value)
      assert_equal([200, 503], answers.map(&:status).uniq.sort)
      assert(answers.select { |answer| answer.status == 503 }
        .all? { |answer| answer["retry-after"].to_i.positive? })
      eventually { totals(server).requests == 600 }
      assert_equal(answers.count { |answer| answer.status == 503 }, totals(server).counted(:shed))
      eventually { server.get.status == 200 }
    end
  end

  # Clients that come when they come, each with a connection of its own: four times as many as can
  # be served.
  def test_an_overload_by_clients_that_do_not_wait_for_each_other
    skip "the select engine does not say since when a socket is readable" if backend == :select

    inside = most = 0
    app = lambda do |_|
      most = [most, inside += 1].max
      Fiber.blocking { sleep(0.008) }
      sleep(0.001)
      inside -= 1
      [200, {}, ["done"]]
    end
    serve(app, lint: false, queue_target: 0.05, max_in_flight: 4, max_queue_time: 1) do |server|
      clients = Array.new(500) do
        sleep(0.002)
        Thread.new { server.get }
      end
      answers = clients.map(&:value)
      assert_equal([200, 503], answers.map(&:status).uniq.sort)
      assert_empty(answers.reject { |answer|
        answer.status == 200 ||
              answer["retry-after"].to_i.positive?
      })
      assert_operator(answers.count { |answer| answer.status == 200 }, :>, 50)
      assert_operator(most, :<=, 4)
      eventually { totals(server).requests == 500 }
    end
  end

  def test_an_app_that_keeps_up_sheds_nothing
    serve(OK, queue_target: 5) do |server|
      statuses =
        Array.new(10) {
          Thread.new { server.connect { |client| Array.new(50) { client.get.status } } }
        }.flat_map(&:value)
      assert_equal([200], statuses.uniq)
      eventually { totals(server).queued.count == 500 }
    end
  end
end

ServerContract.run(ServerWatch)
