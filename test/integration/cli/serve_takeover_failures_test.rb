# frozen_string_literal: true

require_relative "serve_takeover_case"

module Raffia
  # Takeovers that fail: no request is lost, and one server goes on.
  class CLIServeTakeoverFailuresTest < CLIServeTakeoverCase
    # What keeps the new server from serving, and what the old one says.
    BROKEN = {
      "syntax" => ["run(", /gave up: .*could not be loaded/],
      "gem" => ["require 'no_such_gem'", /gave up: .*could not be loaded/],
      "boot" => ["Process.kill(:KILL, Process.pid)", /gave up: /]
    }.freeze

    BROKEN.each do |name, (code, reason)|
      define_method(:"test_an_application_that_does_not_load_#{name}") do
        old_server do |old|
          script code, "config.ru"
          under_load { successor { |new| await_failure(old, new, reason) } }
        end
      end
    end

    def test_a_probe_that_fails
      old_server do |old|
        script "run ->(env) { [env['PATH_INFO'] == '/up' ? 500 : 200, {}, []] }", "config.ru"
        under_load do
          successor("--takeover-probe", "/up") do |new|
            await_failure(old, new, %r{/up of worker \d was answered by 500})
          end
        end
      end
    end

    def test_a_probe_that_passes
      old_server do |old|
        script "run ->(env) { [env['PATH_INFO'] == '/up' ? 204 : 200, {}, []] }", "config.ru"
        successor("--takeover-probe", "/up") { |new| await_takeover(old, new) }
      end
    end

    # The application answers all clients, but the probe no more: it fails in the trial.
    def test_a_probe_that_fails_in_the_trial
      old_server do |old|
        script <<~RUBY, "config.ru"
          run(lambda do |env|
            status = (env["PATH_INFO"] == "/up" && File.exist?("sick")) ? 503 : 200
            [status, {"content-length" => "0"}, []]
          end)
        RUBY
        under_load do
          successor("--takeover-probe", "/up", "--takeover-trial", "1") do |new|
            wait_until(PROCESS_PATIENCE) { Net::HTTP.get("127.0.0.1", "/", @port).empty? }
            script "", "sick"
            await_failure(old, new, %r{/up of worker \d was answered by 503})
          end
        end
      end
    end

    def test_a_worker_that_ends_in_the_trial
      old_server do |old|
        script "run ->(_) { [200, {}, []] }", "config.ru"
        successor("--takeover-trial", "60") do |new|
          pid = wait_until(PROCESS_PATIENCE) { workers(new).first if on_trial?(old, new) }
          ::Process.kill(:KILL, pid)
          await_failure(old, new, /a worker ended in its trial/)
        end
      end
    end

    def test_a_new_server_that_is_killed_while_it_boots
      script "sleep if ENV['SLOW']\n#{PIDS}", "config.ru"
      old_server do |old|
        under_load do
          successor(env: {"SLOW" => "1"}) do |new|
            await(old, "takes over")
            new.kill(:KILL)
            await(old, "THE TAKEOVER HAS FAILED: process #{new.pid} has ended")
          end
          assert_served_by(old)
        end
      end
    end

    # Requests that its workers had begun end with them; all others are answered.
    def test_a_new_server_that_is_killed_in_its_trial
      old_server do |old|
        successor("--takeover-trial", "60") do |new|
          wait_until(PROCESS_PATIENCE) { on_trial?(old, new) }
          new.kill(:KILL)
          await(old, "THE TAKEOVER HAS FAILED: process #{new.pid} has ended")
          under_load { assert_served_by(old) }
        end
      end
    end

    def test_what_metrics_say
      at = TestSupport::Daemon.free_port
      more = ["--metrics", "tcp://127.0.0.1:#{at}"]
      old_server(*more) do |old|
        assert_match(/^raffia_takeovers_failed_total 0$/, Net::HTTP.get("127.0.0.1", "/metrics", at))
        successor(*more, "--takeover-trial", "60") do |new|
          %w[old new].each do |side| # both answer
            wait_until(PROCESS_PATIENCE) do
              Net::HTTP.get("127.0.0.1", "/metrics", at)
                .include?(%(raffia_takeover_state{side="#{side}",state="trial"} 1\n))
            end
          end
          new.kill(:KILL)
          await(old, "THE TAKEOVER HAS FAILED: process #{new.pid} has ended")
        end
        wait_until(PROCESS_PATIENCE) do
          Net::HTTP.get("127.0.0.1", "/metrics", at).include?("raffia_takeovers_failed_total 1\n")
        end
        stats = JSON.parse(Net::HTTP.get("127.0.0.1", "/stats.json", at))
        assert_equal [nil, nil, 1], stats["takeover"].values_at("side", "state", "failed")
        assert_match(/has ended\z/, stats["takeover"]["reason"])
      end
    end

    def test_a_new_server_that_hangs_in_its_trial
      old_server do |old|
        successor("--takeover-trial", "0.5") do |new|
          wait_until(PROCESS_PATIENCE) { on_trial?(old, new) }
          new.kill(:STOP)
          under_load do
            await(old, "THE TAKEOVER HAS FAILED: process #{new.pid} did not go on in time")
          end
          new.kill(:CONT)
          assert_equal 1, new.ended.exitstatus, new.err
          assert_match(/the old server takes all back/, new.err)
          assert_served_by(old)
        end
      end
    end

    # Its socket's queue and the new server remain.
    def test_an_old_server_that_is_killed_while_the_new_one_boots
      script "sleep(0.01) while File.exist?('slow')\n#{PIDS}", "config.ru"
      old_server do |old|
        script "", "slow"
        successor do |new|
          await(new, "takes over from process #{old.pid} (")
          old.kill(:KILL)
          old.ended
          await(new, "has taken over from process #{old.pid}")
          waiting = Thread.new { Net::HTTP.get("127.0.0.1", "/", @port) }
          File.unlink(File.join(@dir, "slow"))
          assert_equal new.pid.to_s, waiting.value
          under_load { assert_served_by(new) }
        end
      end
    end

    def test_an_old_server_that_is_killed_in_the_trial
      old_server do |old|
        successor("--takeover-trial", "60") do |new|
          wait_until(PROCESS_PATIENCE) { on_trial?(old, new) }
          under_load do
            old.kill(:KILL)
            await(new, "has taken over from process #{old.pid}")
          end
          assert_served_by(new)
        end
      end
    end

    # The old one finishes its requests, and closes its end of the channel: its loop would not sleep
    # else.
    def test_a_new_server_that_is_killed_while_the_old_one_drains
      script "run ->(_) { sleep(0.01) while File.exist?('slow'); [200, {}, ['done']] }", "config.ru"
      script "", "slow"
      old_server do |old|
        request = Thread.new { Net::HTTP.get("127.0.0.1", "/", @port) }
        wait_until(PROCESS_PATIENCE) { in_flight?(old) }
        successor do |new|
          await(new, "has taken over from process #{old.pid}")
          wait_until(PROCESS_PATIENCE) { workers(old).one? }
          before = sockets(old)
          new.kill(:KILL)
          wait_until(PROCESS_PATIENCE) { sockets(old) < before }
        end
        File.unlink(File.join(@dir, "slow"))
        assert_equal "done", request.value
        assert_equal 0, old.ended.exitstatus, old.err
      end
    end

    def test_an_old_server_that_is_stopped_while_the_new_one_boots
      script "sleep if ENV['SLOW']\n#{PIDS}", "config.ru"
      old_server do |old|
        successor(env: {"SLOW" => "1"}) do |new|
          await(old, "takes over")
          old.kill(:TERM)
          assert_equal 0, old.ended.exitstatus
          assert_equal 1, new.ended.exitstatus
          assert_match(/the old server takes all back: the old server stops/, new.err)
        end
      end
    end

    def test_a_new_server_that_is_stopped_in_its_trial
      old_server do |old|
        successor("--takeover-trial", "60") do |new|
          wait_until(PROCESS_PATIENCE) { on_trial?(old, new) }
          under_load do
            new.kill(:TERM)
            assert_equal 0, new.ended.exitstatus, new.err
            await(old, "THE TAKEOVER HAS FAILED")
          end
          assert_served_by(old)
        end
      end
    end

    private

    # New connections go to the new server alone.
    def on_trial?(old, new)
      new.err.include?("are ready") && Array.new(10) {
        Net::HTTP.get("127.0.0.1", "/", @port)
      }.none? { |body| body == old.pid.to_s }
    end

    # A worker sleeps in the application, which looks for the file.
    def in_flight?(server)
      server.kill(:QUIT)
      server.err.include?("config.ru:1")
    end

    def sockets(server)
      Dir.glob("/proc/#{server.pid}/fd/*").count { |name| socket?(name) }
    end

    def socket?(name)
      File.readlink(name).start_with?("socket:")
    rescue Errno::ENOENT
      false # it was closed meanwhile
    end

    def workers(server)
      File.read("/proc/#{server.pid}/task/#{server.pid}/children").split.map(&:to_i)
        .select { |pid| File.read("/proc/#{pid}/cmdline").include?(": worker") }
    end
  end
end
