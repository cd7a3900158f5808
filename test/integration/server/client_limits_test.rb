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
  end
end
