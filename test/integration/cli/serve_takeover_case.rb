# frozen_string_literal: true

require "support/daemon"
require "support/open_loop"
require_relative "serve_case"

module Raffia
  # The parent of the tests of takeovers: servers of one folder, which share addresses, control
  # socket and pid file.
  class CLIServeTakeoverCase < CLIServeCase
    PIDS = 'run ->(_env) { [200, {"content-length" => Process.ppid.to_s.size.to_s}, ' \
      "[Process.ppid.to_s]] }"

    def setup
      super
      script PIDS, "config.ru"
      @port = TestSupport::Daemon.free_port
    end

    private

    def old_server(*flags, **options, &)
      serve(*flags(*flags), **options) do |old|
        wait_until(PROCESS_PATIENCE) { old.err.include?("are ready") }
        yield old
      end
    end

    def flags(*more)
      ["-b", "tcp://127.0.0.1:#{@port}", "-e", "production", "--processes", "2",
        "--takeover-trial", "0.2", "--pidfile", "#{@dir}/pid", "--control", "unix://#{@dir}/ctl",
        *more]
    end

    # A server that begins to take over.
    def successor(*flags, **options)
      server = start(EXECUTABLE, "serve", "--json", *flags(*flags), "--takeover", **options)
      yield server
    ensure
      server&.finish
    end

    def await_takeover(old, new)
      await(new, "has taken over from process #{old.pid}")
      assert_equal 0, old.ended.exitstatus, old.err
    end

    def await(server, text)
      wait_until(PROCESS_PATIENCE, "no #{text.inspect} came: #{server.err}") do
        server.err.include?(text)
      end
    end

    def await_failure(old, new, reason)
      await(old, "THE TAKEOVER HAS FAILED")
      assert_match reason, old.err
      assert_equal 1, new.ended.exitstatus, new.err
      assert_served_by(old)
    end

    # The server answers, and its files are there.
    def assert_served_by(server, port: @port)
      20.times { assert_equal server.pid.to_s, Net::HTTP.get("127.0.0.1", "/", port) }
      assert_equal server.pid.to_s, File.read("#{@dir}/pid").strip
      assert File.socket?("#{@dir}/ctl")
    end

    def under_load(place = @port)
      TestSupport::OpenLoop.run(place) do |load|
        wait_until { load.count > 20 }
        yield load
        seen = load.count
        wait_until { load.count > seen + 20 }
        load.stop
        assert_empty load.errors
      end
    end
  end
end
