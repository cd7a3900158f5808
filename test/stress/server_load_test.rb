# frozen_string_literal: true

require_relative "../integration/server/server_case"
require "open3"

module Raffia
  # Very many connections at once, on each back end: every request is answered, none with an error.
  class ServerLoadTest < ServerCase
    CROWD = 8192
    SECONDS = 3
    CONFIG = 'run ->(_) { [200, {"content-type" => "text/plain"}, ["hello world"]] }'

    # select(2) knows no descriptor above 1023.
    {uring: CROWD, epoll: CROWD, poll: CROWD, select: 900}.each do |backend, count|
      define_method(:"test_#{count}_connections_of_wrk_on_#{backend}") do
        found = Engine.probe.find { |probed| probed[:name] == backend }
        skip "#{backend}: #{found[:reason]}" unless found[:ok]
        load(backend, count)
      end
    end

    def test_ab_with_and_without_keep_alive
      ab = need_program("ab")
      program(CONFIG) do |port|
        [["-k"], []].each do |flags|
          output, = Open3.capture2e(ab, "-q", *flags, "-n", "5000", "-c", "100",
            "http://127.0.0.1:#{port}/")
          assert_match(/Complete requests:\s+5000$/, output)
          assert_match(/Failed requests:\s+0$/, output)
          refute_match(/Non-2xx/, output)
          assert_match(/Keep-Alive requests:\s+5000$/, output) if flags.any?
        end
      end
    end

    private

    def load(backend, count)
      wrk = need_program("wrk")
      need_descriptors
      program(CONFIG, env: {"RAFFIA_BACKEND" => backend.to_s}, max_connections: count + 100,
        backlog: count) do |port|
        output, = Open3.capture2e(wrk, "-t2", "-c#{count}", "-d#{SECONDS}s", "--timeout", "30s",
          "http://127.0.0.1:#{port}/")
        assert_operator output[/(\d+) requests in/, 1].to_i, :>, 0, output
        refute_match(/Socket errors|Non-2xx/, output)
        assert_equal "hello world", Net::HTTP.get("127.0.0.1", "/", port)
      end
    end

    def need_descriptors
      soft, hard = ::Process.getrlimit(:NOFILE)
      if hard < CROWD + 500
        skip "#{CROWD} connections want more descriptors than the hard limit, #{hard}"
      end
      ::Process.setrlimit(:NOFILE, hard) if soft < CROWD + 500
    end
  end
end
