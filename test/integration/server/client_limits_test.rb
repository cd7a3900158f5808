# frozen_string_literal: true

require_relative "server_case"

module Raffia
  # Limits of a client, over worker processes, and by a key of the application's.
  class ServerClientLimitsProcessesTest < ServerCase
    # Each on a connection of its own, so that they spread over the workers.
    def test_worker_processes_count_together_and_metrics_are_not_limited
      metrics = TestSupport::Daemon.free_port
      program("run ->(_) { [200, {}, [\"ok\"]] }", processes: 2, client_rate: 1, client_burst: 4,
        metrics: "tcp://127.0.0.1:#{metrics}") do |port|
        began = TestSupport.now
        codes = Array.new(60) { Net::HTTP.get_response(URI("http://127.0.0.1:#{port}/")).code }
        most = 4 + (TestSupport.now - began).ceil
        assert_includes 4..most, codes.count("200"), "two workers that count alone let 8 through"
        assert_equal %w[200 429], codes.uniq
        pages = Array.new(20) { Net::HTTP.get_response(URI("http://127.0.0.1:#{metrics}/metrics")) }
        assert_equal %w[200], pages.map(&:code).uniq
        assert_includes pages.last.body, "raffia_requests_limited_total #{codes.count("429")}\n"
      end
    end

    def test_connections_to_all_worker_processes_count_together
      program("run ->(_) { [200, {}, [Process.pid.to_s]] }", processes: 2,
        client_connections: 4) do |port|
        clients, pids = fill(port)
        refused = Array.new(6) { connect(port) }
        refused.each { |socket| assert_match(/\AHTTP\/1.1 429/, socket.read) }
        # Those of a killed worker are taken back. The others stay.
        ::Process.kill(:KILL, pids.first)
        others = clients.zip(pids).reject { |_, pid| pid == pids.first }.map(&:first)
        again, = fill(port, others.size)
        assert_match(/\AHTTP\/1.1 429/, connect(port).read)
        clients.concat(again)
      ensure
        [*clients, *refused].each(&:close)
      end
    end

    def test_a_key_of_the_application
      hooks = Raffia::Server::Hooks.new
      hooks.add(:client_key) { |env| env["HTTP_X_API_KEY"] }
      serve(HELLO, hooks: hooks, client_rate: 1, client_burst: 2) do |server|
        get = lambda do |key|
          headers = {"x-api-key" => key}.compact
          Net::HTTP.get_response(URI(server.url), headers).code
        end
        %w[ada grace].each do |key|
          codes = []
          codes << get.call(key) until codes.last == "429" || codes.size == 100
          assert_equal ["200", "200", "429"], [*codes.first(2), codes.last], key
        end
        assert_equal "200", get.call(nil), "without a key, the address counts"
      end
      error = assert_raises(Raffia::ConfigError) do
        Raffia::Server.new(HELLO, hooks: hooks, ractors: 1)
      end
      assert_match(/client_key is a block of the main Ractor/, error.message)
    end

    private

    # Opens connections until there are four. Returns them, and the workers that they are to.
    def fill(port, open = 0)
      clients = []
      pids = []
      wait_until(60) do
        socket = connect(port)
        socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        answer = socket.readpartial(4096)
        next false unless answer.start_with?("HTTP/1.1 200")

        clients << socket
        pids << Integer(answer[/\d+\z/])
        open + clients.size == 4
      rescue SystemCallError, EOFError
        false # the killed worker had it
      end
      [clients, pids]
    end
  end
end
