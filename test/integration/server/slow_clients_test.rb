# frozen_string_literal: true

require_relative "server_case"
require "open3"

module Raffia
  # slowhttptest's ways to hold a server with few bytes: 200 connections at once, while others must
  # be served. The timeouts are set low, so that what they end can be seen in seconds.
  class ServerSlowClientsTest < ServerCase
    CONFIG = <<~RUBY
      run lambda { |env|
        env["rack.input"]&.read
        size = (env["PATH_INFO"] == "/big") ? 500_000 : 5
        [200, {"content-type" => "text/plain"}, ["x" * size]]
      }
    RUBY
    CONNECTIONS = 200
    # Seconds: it ends when its connections have, and this is when it gives up.
    LIMIT = 60
    # Seconds that its own question, whether others are served, may take.
    PROBE = 30

    def test_heads_that_never_end
      attack("-H", "-i", "1") { |left| assert_equal 0, left }
    end

    def test_bodies_that_never_end
      attack("-B", "-i", "3", "-s", "8192") { |left| assert_equal 0, left }
    end

    # A client that reads a little now and then may be just slow. Its cost is bounded by the
    # response.
    def test_responses_that_are_not_read_to_the_end
      attack("-X", "-w", "10", "-y", "20", "-n", "3", "-z", "10", "-l", "4", path: "/big") do |left|
        assert_operator left, :<=, CONNECTIONS
      end
    end

    private

    # @yieldparam left [Integer] connections that the server has not ended
    def attack(*mode, path: "/")
      program = need_program("slowhttptest")
      program(CONFIG, head_timeout: 2, body_timeout: 2, write_timeout: 2) do |port|
        Open3.popen2e(program, "-c", CONNECTIONS.to_s, "-r", CONNECTIONS.to_s, "-l", LIMIT.to_s,
          "-p", PROBE.to_s, *mode, "-u", "http://127.0.0.1:#{port}#{path}") do |_, output, attacker|
          reader = Thread.new { output.read.gsub(/\e\[[\d;]*m/, "") }
          served = 0
          while attacker.alive?
            assert_equal "xxxxx", Net::HTTP.get("127.0.0.1", "/", port)
            served += 1
            sleep 0.05
          end
          report = reader.value
          refute_match(/service available:\s+NO/, report)
          assert_operator served, :>, 0
          yield report.include?("No open connections left") ? 0 :
            report.scan(/connected:\s+(\d+)/).last.first.to_i
        end
      end
    end
  end
end
