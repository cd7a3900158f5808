# frozen_string_literal: true

require_relative "serve_case"

module Raffia
  # The metrics of `raffia serve --metrics` about its workers, also when they are killed or stuck.
  class CLIServeWatchTest < CLIServeCase
    APP = <<~RUBY
      run lambda { |env|
        case env["PATH_INFO"]
        when "/pid" then nil
        when "/wait" then sleep(0.01) until File.exist?("go")
        when "/burn" then loop { nil } # it is killed
        when "/raise" then raise "no"
        end
        [200, {"content-type" => "text/plain"}, [Process.pid.to_s]]
      }
    RUBY

    def setup
      super
      script APP, "config.ru"
    end

    # @yieldparam server [Running]
    # @yieldparam admin [String] where its metrics are
    def watched(*argv)
      serve("--metrics", "tcp://127.0.0.1:0", *argv) do |server|
        wait_until(PROCESS_PATIENCE) { server.err[%r{metrics: (http://\S+)/metrics}] }
        @admin = server.err[%r{metrics: (http://\S+)/metrics}, 1]
        wait_until(PROCESS_PATIENCE) { ask("/ready").code == "200" }
        yield server
      end
    end

    def ask(path) = Net::HTTP.get_response(URI(@admin + path))

    # @return [Hash{String => Float}] samples by name and labels
    def metrics
      ask("/metrics").body.lines.grep_v(/\A#/)
        .to_h { |line| line.chomp.rpartition(" ").then { |name, _, value| [name, value.to_f] } }
    end

    # A request is counted when its response has been sent, so the client that has it can be a
    # moment early.
    def settled
      wait_until(PROCESS_PATIENCE) do
        metrics.then { |all| all if all["raffia_requests_in_flight"].zero? }
      end
    end

    def stats = JSON.parse(ask("/stats.json").body)

    def test_what_is_shown
      watched("--processes", "2", "--access-log", "access.log") do |server|
        3.times { server.get }
        server.get("/raise")
        answer = ask("/metrics")
        assert_equal ["200", "application/openmetrics-text; version=1.0.0; charset=utf-8"],
          [answer.code, answer["content-type"]]
        assert_equal "# EOF\n", answer.body.lines.last
        now = settled
        assert_equal [4, 3, 1, 1, 0, 2, 2],
          now.values_at("raffia_requests_total", 'raffia_responses_total{class="2xx"}',
            'raffia_responses_total{class="5xx"}',
            "raffia_app_errors_total", "raffia_requests_in_flight", "raffia_workers",
            "raffia_workers_ready")
        assert_equal [4, 4], now.values_at("raffia_request_duration_seconds_count",
          'raffia_request_duration_seconds_bucket{le="+Inf"}')
        assert_operator now['raffia_worker_memory_bytes{slot="1"}'], :>, 1 << 20
        assert_equal [4, "running", 2, server.pid],
          stats.then { |all|
            [all["requests"]["total"], all["state"], all["workers"].size,
              all["pid"]]
          }
        assert_equal %w[200 200 404], %w[/health /ready /nothing].map { |path| ask(path).code }
        wait_until(PROCESS_PATIENCE) { File.readlines(File.join(@dir, "access.log")).size == 4 }
      end
    end

    # A stranger's page may have its name resolved to this machine.
    def test_names_that_are_not_this_machines_are_not_answered
      watched("--processes", "0") do
        uri = URI(@admin)
        ask = lambda do |host|
          Net::HTTP.start(uri.host, uri.port) do |http|
            http.get("/stats.json", "Host" => host).code
          end
        end
        good = %w[localhost:1 127.0.0.1 [::1]:9394 app.localhost]
        assert_equal ["200"], good.map(&ask).uniq
        bad = %w[evil.example evil.example:9394 127.0.0.1.evil.example localhost.evil]
        assert_equal ["403"], bad.map(&ask).uniq
      end
    end

    def test_another_reader_of_the_format_takes_it
      python = "/usr/bin/python3"
      reader = "import sys; from prometheus_client.openmetrics.parser import " \
        "text_string_to_metric_families as t; print(len(list(t(sys.stdin.read()))))"
      unless File.exist?(python) &&
          system(python, "-c", "import prometheus_client.openmetrics.parser", err: File::NULL)
        skip "apt-get install python3-prometheus-client"
      end

      watched("--processes", "0") do |server|
        server.get
        text = ask("/metrics").body
        families = IO.popen([python, "-c", reader], "r+") do |io|
          io.write(text)
          io.close_write
          io.read.to_i
        end
        assert_equal text.scan(/^# TYPE/).size, families
      end
    end

    def test_requests_in_flight_are_shown_with_where_they_are
      watched("--processes", "2", "--slow-request", "0.05") do |server|
        waiting = Thread.new do
          Net::HTTP.get_response(URI("#{server.url.sub("[::]", "127.0.0.1")}/wait?a=1"),
            {"X-Request-Id" => "mine"})
        end
        found = wait_until(PROCESS_PATIENCE) do
          stats["workers"].flat_map { |worker| worker["at"] }
            .find { |one| one["backtrace"]&.join&.include?("config.ru:4") }
        end
        assert_equal %w[mine GET /wait], found.values_at("id", "method", "path")
        refute_match(/exchange\.rb/, found["backtrace"].join)
        script "", "go"
        assert_equal "200", waiting.value.code
      end
    end

    def test_what_drains_is_not_healthy_and_is_still_seen
      watched("--processes", "2") do |server|
        waiting = Thread.new { server.get("/wait").code }
        wait_until(PROCESS_PATIENCE) { metrics["raffia_requests_in_flight"] == 1 }
        server.kill(:TERM)
        wait_until(PROCESS_PATIENCE) { ask("/health").code == "503" }
        assert_equal [1, "503"], [metrics["raffia_requests_in_flight"], ask("/ready").code]
        script "", "go"
        assert_equal ["200", 0], [waiting.value, server.ended.exitstatus]
      end
    end

    # A response may be sent by a worker that is killed before it has counted it, and the other way
    # round: at most one for each client at each kill.
    def test_counts_survive_kills
      clients, kills = 4, 3
      watched("--processes", "2") do |server|
        uri = URI(server.url.sub("[::]", "127.0.0.1"))
        good = Thread::Queue.new
        counts = []
        threads = Array.new(clients) { Thread.new { keep_asking(uri, good, 250) } }
        kills.times do |number|
          wait_until(PROCESS_PATIENCE) { good.size > 200 * (number + 1) }
          ::Process.kill(:KILL, server.get("/pid").body.to_i)
          good << true # that was one, too
          counts << metrics["raffia_requests_total"]
          wait_until(PROCESS_PATIENCE) do
            stats["workers"].sum { |worker| worker["restarts"] } == number + 1
          end
        end
        threads.each(&:join)
        wait_until(PROCESS_PATIENCE) { ask("/ready").code == "200" }
        counts << metrics["raffia_requests_total"]
        assert_equal counts.sort, counts
        assert_equal clients * 250 + kills, good.size
        assert_in_delta good.size, settled['raffia_responses_total{class="2xx"}'],
          kills * (clients + 1)
        assert_equal [kills, 0],
          metrics.values_at('raffia_worker_restarts_total{slot="0"}',
            'raffia_worker_restarts_total{slot="1"}').sum
            .then { |all| [all, metrics["raffia_requests_in_flight"]] }
      end
    end

    def test_without_kills_the_counts_are_exact
      watched("--processes", "2", "--access-log", "access.log") do |server|
        uri = URI(server.url.sub("[::]", "127.0.0.1"))
        good = Thread::Queue.new
        Array.new(4) { Thread.new { keep_asking(uri, good, 250) } }.each(&:join)
        assert_equal [1_000, 1_000, 0], settled.values_at("raffia_requests_total",
          'raffia_responses_total{class="2xx"}', "raffia_requests_in_flight")
        server.kill(:TERM)
        assert_equal 0, server.ended.exitstatus
      end
      assert_equal 1_000, File.readlines(File.join(@dir, "access.log")).size
    end

    def test_a_request_that_holds_up_the_loop_costs_its_worker_and_is_named
      watched("--processes", "2", "--hard-timeout", "1") do |server|
        burning = Thread.new { once(URI(server.url.sub("[::]", "127.0.0.1")), "/burn") }
        wait_until(PROCESS_PATIENCE) { server.err.include?("loop has not turned") }
        assert_equal "cut off", burning.value
        wait_until(PROCESS_PATIENCE, "it is not replaced") do
          stats["workers"].sum { |worker| worker["restarts"] } == 1
        end
        place = /It is at:\n(?:  <internal:.*\n)*  .*config\.ru:5/
        assert_match(%r{ERROR.*request \S+.*\(GET /burn\) has taken .* #{place}}, server.err)
        wait_until(PROCESS_PATIENCE) { ask("/ready").code == "200" }
        assert_equal 1, metrics["raffia_requests_killed_total"]
        assert_equal "200", server.get.code
      end
    end

    def test_a_request_that_waits_for_too_long_lets_the_others_of_its_worker_end
      watched("--processes", "1", "--hard-timeout", "1") do |server|
        first = server.get.body
        waiting = Thread.new { server.get("/wait").code }
        wait_until(PROCESS_PATIENCE) { server.err.include?("more than hard_timeout allows") }
        second = wait_until(PROCESS_PATIENCE) do
          server.get.body.then { |pid| pid unless pid == first }
        end
        script "", "go"
        assert_equal ["200", second], [waiting.value, server.get.body]
      end
    end

    def test_a_stream_may_take_longer
      script 'run ->(_env) { [200, {}, ->(stream) { 30.times { stream.write(".") && sleep(0.05) ' \
        "} && stream.close }] }", "config.ru"
      watched("--processes", "1", "--hard-timeout", "1") do |server|
        assert_equal "." * 30, server.get.body
        assert_equal [0, 0], metrics.values_at("raffia_requests_killed_total",
          'raffia_worker_restarts_total{slot="0"}')
      end
    end

    def test_a_worker_whose_loop_does_not_turn_is_replaced_without_any_limit_too
      watched("--processes", "1", "--worker-timeout", "2") do |server|
        burning = Thread.new { once(URI(server.url.sub("[::]", "127.0.0.1")), "/burn") }
        wait_until(PROCESS_PATIENCE) { server.err.include?("has no heartbeat: KILL") }
        assert_equal "cut off", burning.value
        wait_until(PROCESS_PATIENCE) { ask("/ready").code == "200" }
        assert_match(/config\.ru:5/, server.err, "the dump says where it is")
      end
    end

    def test_ractors_count_together
      script "run ->(_env) { [200, {}, [\"hello\"]] }", "config.ru"
      watched("--processes", "1", "--ractors", "2") do |server|
        10.times { server.get }
        assert_equal [10, 10], settled.values_at("raffia_requests_total",
          'raffia_responses_total{class="2xx"}')
      end
    end

    def test_usr1_opens_the_access_log_anew
      [0, 2].each do |processes|
        log = File.join(@dir, "access#{processes}.log")
        watched("--processes", processes.to_s, "--access-log", log) do |server|
          5.times { server.get("/before") }
          wait_until(PROCESS_PATIENCE) { File.readlines(log).size == 5 }
          File.rename(log, "#{log}.1")
          server.kill(:USR1)
          wait_until(PROCESS_PATIENCE) { File.exist?(log) }
          # Each worker opens it for itself, one of them later than the other.
          after = 0
          wait_until(PROCESS_PATIENCE) { (after += 1) && server.get("/after") && File.size?(log) }
          server.kill(:TERM)
          assert_equal 0, server.ended.exitstatus
          assert_equal 5 + after, File.readlines(log).size + File.readlines("#{log}.1").size
        end
      end
    end

    private

    # Net::HTTP would ask again.
    def once(uri, path)
      Net::HTTP.new(uri.hostname, uri.port).tap { |http| http.max_retries = 0 }
        .start { |http| http.get(path).code }
    rescue SystemCallError, IOError
      "cut off"
    end

    # Over one connection, which is made anew when it breaks: each request until it is answered.
    def keep_asking(uri, good, count)
      count.times do
        http ||= Net::HTTP.new(uri.hostname, uri.port).tap { |one| one.max_retries = 0 }.start
        raise "refused" unless http.get("/").code == "200"

        good << true
      rescue SystemCallError, IOError
        http = nil
        retry
      end
    end
  end
end
