# frozen_string_literal: true

require "test_helper"
require "etc"
require "support/queue_load"
require_relative "../integration/cli/serve_case"

module Raffia
  # The server itself, as `raffia serve` starts it, under clients that never pause: no request is
  # lost while its workers are replaced.
  class ServerRestartsTest < CLIServeCase
    # How often; 100 is what docs tell of.
    ROUNDS = Integer(ENV.fetch("RAFFIA_STRESS_ROUNDS", "5"))
    CLIENTS = 8

    def setup
      super
      unless File.exist?("/proc/self/task/#{::Process.pid}/children")
        skip "/proc/PID/task/PID/children: of Linux"
      end
    end

    def under_load
      script(<<~'RUBY', "config.ru")
        run ->(env) { [200, {"content-type" => "text/plain"}, ["hello #{env["QUERY_STRING"]}\n"]] }
      RUBY
      serve("--processes", "2", "-p", "0", env: {"RAFFIA_LOG" => "info"}) do |server|
        wait_until(PROCESS_PATIENCE) { server.err.include?("2 workers are ready") }
        load = TestSupport::QueueLoad.new(URI(server.url).port, CLIENTS) do |number|
          ["GET /?#{number} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
            "\r\n\r\nhello #{number}\n"]
        end
        load.await(50)
        yield server, load
      ensure
        load&.stop
        server.kill(:TERM)
        assert_equal(0, server.ended.exitstatus, server.err)
      end
    end

    # Found by their titles, because the server's own children include the process that forks.
    def workers_of(server)
      File.read("/proc/#{server.pid}/task/#{server.pid}/children").split.map(&:to_i).select do |pid|
        File.read("/proc/#{pid}/cmdline").include?(": worker ")
      rescue SystemCallError
        false
      end
    end

    def test_rolling_restarts
      under_load do |server, load|
        ROUNDS.times do |round|
          server.kill(:HUP)
          wait_until(PROCESS_PATIENCE) { server.err.include?("restarted: generation #{round + 2}") }
          load.await(50)
        end
        load.stop
        assert_empty(load.all_errors.tally)
      end
    end

    # Also with a worker in the place of one that was taken away.
    def test_more_workers_and_fewer
      under_load do |server, load|
        [3, 2, 3].each do |count|
          server.kill((count == 3) ? :TTIN : :TTOU)
          wait_until(PROCESS_PATIENCE) { workers_of(server).size == count }
          load.await(50)
        end
        load.stop
        assert_empty(load.all_errors.tally)
      end
    end

    # Connections that a killed worker had accepted are lost with it: at most one of each client,
    # which ends without an answer. Nothing is refused, and connections in its socket's queue are
    # served.
    def test_workers_that_are_killed
      under_load do |server, load|
        ROUNDS.times do
          kill_one(server)
          load.await(50)
        end
        load.stop
        errors = load.all_errors
        assert_operator(errors.size, :<=, ROUNDS * CLIENTS, errors.tally.to_s)
        assert_empty(errors.grep_v(/ECONNRESET|EPIPE|the answer was ""/))
        if ROUNDS > 5
          puts "#{ROUNDS} killed: #{load.served.size} served, #{errors.size} connections ended " \
            "with their worker"
        end
      end
    end

    private

    # One that has served for a second: a slot whose workers die sooner, again and again, has
    # growing pauses.
    def kill_one(server)
      victim = workers_of(server).min_by { |pid| born(pid) }
      wait_until { TestSupport.now - born(victim) > 1.5 }
      ::Process.kill(:KILL, victim)
      wait_until(PROCESS_PATIENCE) do
        !workers_of(server).include?(victim) && workers_of(server).size == 2
      end
    end

    # Field 22 of proc(5): ticks since the machine started, as the monotonic clock counts.
    def born(pid)
      File.read("/proc/#{pid}/stat").rpartition(") ").last.split[19]
        .to_f / Etc.sysconf(Etc::SC_CLK_TCK)
    end
  end
end
