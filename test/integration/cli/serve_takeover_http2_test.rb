# frozen_string_literal: true

require "open3"
require_relative "serve_takeover_case"

module Raffia
  # h2load and nghttp while the workers, or the whole server, are exchanged. h2load opens no further
  # connection after a GOAWAY and counts the requests that it has not sent then as failed. So it
  # runs again and again, and the access log has the requests that were taken: all are answered.
  class CLIServeTakeoverHTTP2Test < CLIServeTakeoverCase
    ROUND = 2000
    RESULT = /^requests: .* (\d+) done, (\d+) succeeded, \d+ failed, \d+ errored, 0 timeout$/

    def setup
      super
      script <<~RUBY, "config.ru"
        run(lambda do |env|
          sleep(0.01) while env["PATH_INFO"] == "/slow" && File.exist?("slow")
          [200, {"content-length" => "2"}, ["ok"]]
        end)
      RUBY
      script "", "slow"
    end

    def test_a_rolling_restart
      old_server("--access-log", "requests") do |server|
        while_clients_load do
          server.kill(:HUP)
          await(server, "restarted: generation 2")
        end
        server.kill(:TERM)
        assert_equal 0, server.ended.exitstatus, server.err
      end
      assert_all_answered
    end

    def test_a_takeover
      old_server("--access-log", "requests") do |old|
        successor("--access-log", "requests") do |new|
          while_clients_load { await(new, "has taken over from process #{old.pid}") }
          assert_equal 0, old.ended.exitstatus, old.err
          new.kill(:TERM)
          assert_equal 0, new.ended.exitstatus, new.err
        end
      end
      assert_all_answered
    end

    private

    # One request is there from the beginning, until its connection gets a GOAWAY.
    def while_clients_load
      slow = Thread.new { request_until_goaway }
      first = load
      running = true
      loads = Thread.new { [].tap { |results| results << load while running } }
      yield
      running = false
      @loads = [first, *loads.value, load]
      @slow = slow.value
    end

    # @return [Integer] requests that succeeded
    def load
      output, = Open3.capture2e(find("h2load"), "-n", ROUND.to_s, "-c", "4", "-m", "10", "#{url}/")
      assert_match RESULT, output
      output[RESULT, 2].to_i.tap do |succeeded|
        assert_includes output, "status codes: #{succeeded} 2xx, 0 3xx, 0 4xx, 0 5xx"
      end
    end

    def assert_all_answered
      assert_match(/recv GOAWAY frame/, @slow)
      assert_includes @slow, ":status: 200"
      assert_equal [ROUND, ROUND], @loads.values_at(0, -1)
      taken = File.foreach(File.join(@dir, "requests")).count { |line| line.include?(" / HTTP/2") }
      assert_equal @loads.sum, taken
    end

    def url = "http://127.0.0.1:#{@port}"

    # @return [String] all frames
    def request_until_goaway
      IO.popen([find("nghttp"), "-nv", "#{url}/slow"]) do |frames|
        frames.each_line.with_object(+"") do |line, text|
          File.unlink(File.join(@dir, "slow")) if first_goaway?(line, text)
          text << line
        end
      end
    end

    # GOAWAY comes twice at most.
    def first_goaway?(line, before)
      line.include?("recv GOAWAY") && !before.include?("recv GOAWAY")
    end

    def find(name)
      TestSupport::Daemon.find(name)
    rescue TestSupport::Daemon::Missing => error
      skip error.message
    end
  end
end
