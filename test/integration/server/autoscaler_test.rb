# frozen_string_literal: true

require_relative "../cli/serve_case"
require "support/servers"
require "raffia/jobs/stores/mysql"

module Raffia
  # `raffia serve --processes 1..2`: worker processes as the load needs them.
  class ServerAutoscalerTest < CLIServeCase
    # Faster than in production.
    QUICK = <<~RUBY
      Raffia::Process::Supervisor::Autoscaler::Settings.prepend(Module.new do
        def initialize(**given) = super(**given, interval: 0.1, cpus: 4)
      end)
    RUBY
    MYSQL = <<~RUBY
      require "raffia/jobs"
      require "raffia/jobs/stores/mysql"
      Raffia::Jobs::Stores::MySQL::Driver.load
      run ->(_env) {
        database = Thread.current[:database] ||=
          Trilogy.new(host: "127.0.0.1", port: Integer(ENV.fetch("MARIADB")), username: "root")
        database.query("SELECT SLEEP(0.1)")
        [200, {"content-type" => "text/plain"}, [Process.pid.to_s]]
      }
    RUBY

    def setup
      super
      skip "SO_REUSEPORT: of Linux" unless RUBY_PLATFORM.include?("linux")
      script QUICK, "raffia.rb"
    end

    def clients(port, count)
      Array.new(count) do
        TCPSocket.new("127.0.0.1", port).tap do |client|
          client.timeout = PROCESS_PATIENCE
          client.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        end
      end
    end

    def stop(server)
      server.kill(:TERM)
      assert_equal 0, server.ended.exitstatus, server.err
    end

    def metrics(server) = server.err[/metrics: (\S+)/, 1].then { |url| Net::HTTP.get(URI(url)) }

    # Each waits on one of five threads for the database, and uses no CPU.
    def test_requests_that_wait_for_a_database_get_more_workers_and_these_leave_again
      Jobs::Stores::MySQL::Driver.load
      database = TestSupport::MariaDB.running
      script MYSQL, "config.ru"
      serve("-w", "1..2", "-b", "tcp://127.0.0.1:0", "--execution", "threads", "--shrink-after",
        "1", "--metrics", "tcp://127.0.0.1:0", env: {"MARIADB" => database.port.to_s}) do |server|
        wait_until(PROCESS_PATIENCE) { server.err.include?("1 worker is ready") }
        waiting = clients(URI(server.url).port, 200)
        pids = waiting.map { |client| client.read[/\AHTTP\/1.1 200 .*\r\n\r\n(\d+)\z/m, 1] }
        assert_equal 200, pids.compact.size
        assert_operator pids.uniq.size, :>, 1
        assert_match(/2 workers from now on: requests wait \d+ ms at 1 of 1/, server.err)
        wait_until(PROCESS_PATIENCE) { server.err.match?(/ 1 workers from now on: for/) }
        wait_until { metrics(server).include?("\nraffia_workers 1\n") }
        assert_match(/^raffia_workers_least 1\n.*^raffia_workers_most 2\n/m, metrics(server))
        assert_match(/^raffia_workers_scaled_total{to="more"} [1-9]/, metrics(server))
        stop(server)
      end
    rescue TestSupport::Server::Missing, MissingDependency => error
      skip error.message
    end

    # The range may come from the environment, as numbers do.
    def test_a_server_is_ready_with_its_fewest_workers
      serve("--metrics", "tcp://127.0.0.1:0", env: {"RAFFIA_PROCESSES" => "2..4"}) do |server|
        wait_until(PROCESS_PATIENCE) { server.err.include?("2 workers are ready") }
        assert_equal [2, 4], server.facts.values_at("processes", "most_processes") if server.url
        address = URI(server.err[/metrics: (\S+)\/metrics/, 1])
        wait_until { Net::HTTP.get_response(address + "/ready").code == "200" }
        assert_equal [2, 4], JSON.parse(Net::HTTP.get(address + "/stats.json"))["autoscaler"]
          .values_at("min", "max")
        stop(server)
      end
    end
  end
end
