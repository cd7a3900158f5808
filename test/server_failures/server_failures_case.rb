# frozen_string_literal: true

require "etc"
require "support/certificates"
require "support/daemon"
require "integration/cli/serve_case"

module Raffia
  # A server of several worker processes with and without TLS, and everything that its operators do
  # to it.
  class ServerFailuresCase < CLIServeCase
    LEAST = 2
    MOST = 4
    # Seconds until a server without requests has ended the workers that it does not need.
    QUIET = Integer(ENV.fetch("QUIET", "120"))

    APP = <<~RUBY
      run(lambda do |env|
        if env["QUERY_STRING"] == "busy"
          finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.05 + rand * 0.1
          nil until Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
        elsif rand < 0.3
          sleep(rand * 0.03)
        end
        body = env["PATH_INFO"].delete_prefix("/")
        body = env["rack.input"].read if env["REQUEST_METHOD"] == "POST"
        [200, {"content-type" => "text/plain", "x-worker" => Process.pid.to_s}, [body]]
      end)
    RUBY

    def setup
      super
      script APP, "config.ru"
      TestSupport::Certificates.new(@dir).server("localhost")
      @ports = {false => TestSupport::Daemon.free_port, true => TestSupport::Daemon.free_port}
      @servers = []
    end

    def teardown
      @servers.each(&:finish)
      super
    end

    private

    def server = @servers.last

    def start_server(*more)
      @servers << start(EXECUTABLE, "serve", "--json", "-b", "tcp://127.0.0.1:#{@ports[false]}",
        "-b", "ssl://127.0.0.1:#{@ports[true]}", "--tls-cert", "localhost.pem", "--tls-key",
        "localhost.key", "-e", "production", "--processes", "#{LEAST}..#{MOST}",
        "--shrink-after", "5", "--takeover-trial", "0.5", "--pidfile", "#{@dir}/pid",
        "--control", "unix://#{@dir}/ctl", *more, env: {"RAFFIA_LOG" => "info"})
      await(server, "are ready") if more.empty?
      @least = LEAST if more.empty?
    end

    def restart
      seen = server.err.scan("restarted: generation").size
      server.kill(:HUP)
      wait_until(PROCESS_PATIENCE, server.err) do
        server.err.scan("restarted: generation").size > seen
      end
    end

    # @return [Boolean] false when a worker that was killed meanwhile has broken it off: then the
    #   old server goes on
    def take_over(*more)
      old = server
      start_server("--takeover", *more)
      new = server
      wait_until(PROCESS_PATIENCE) do
        new.err.include?("has taken over from process #{old.pid}") || !new.running?
      end
      if new.running?
        assert_equal 0, old.ended.exitstatus, old.err
        @servers.delete(old)
        @least = LEAST
        true
      else
        assert_includes old.err, "THE TAKEOVER HAS FAILED"
        @servers.delete(new)
        false
      end
    end

    # A new server is killed while it boots, waits or serves on trial: the old one goes on.
    def break_take_over(kills, after)
      old = server
      seen, ended = begun(old), broken_off(old)
      start_server("--takeover", "--takeover-trial", "60")
      new = @servers.pop
      wait_until(PROCESS_PATIENCE, old.err) { begun(old) > seen }
      sleep(after)
      kills.kill_server(new.pid)
      new.ended
      wait_until(PROCESS_PATIENCE, old.err) { broken_off(old) > ended }
    end

    def begun(server) = server.err.scan(/^.*INFO.*\) takes over$/).size

    def broken_off(server) = server.err.scan("THE TAKEOVER HAS FAILED").size

    def grow = (signal(:TTIN, 1) if @least < MOST)

    def shrink = (signal(:TTOU, -1) if @least > LEAST)

    def signal(name, change)
      seen = server.err.scan("at least").size
      server.kill(name)
      wait_until(PROCESS_PATIENCE, server.err) { server.err.scan("at least").size > seen }
      @least += change
    end

    # @return [Array<Integer>] how many descriptors each process has open when nothing happens
    def quiet
      take_over("--processes", LEAST.to_s) # On a busy machine, a range may grow without requests.
      limit = TestSupport.now + QUIET
      sizes = nil
      until sizes && sizes == (sizes = descriptors) && workers.size == LEAST
        flunk("not quiet: #{sizes}, #{titles}\n#{server.err}") if TestSupport.now > limit
        sizes ||= descriptors
        sleep(0.5)
      end
      sizes.values.sort
    end

    def descriptors
      processes.to_h { |pid| [pid, Dir.children("/proc/#{pid}/fd").size] }
    rescue SystemCallError
      {}
    end

    def titles = processes.map { |pid| File.read("/proc/#{pid}/cmdline").tr("\0", " ").strip }

    def processes
      Dir["/proc/[0-9]*/cwd"].filter_map do |path|
        path[/\d+/].to_i if File.readlink(path) == File.realpath(@dir)
      rescue SystemCallError
        nil
      end
    end

    def workers
      processes.select do |pid|
        File.read("/proc/#{pid}/cmdline").include?(": worker ")
      rescue SystemCallError
        false
      end
    end

    def age(pid)
      TestSupport.now - File.read("/proc/#{pid}/stat").rpartition(") ").last.split[19]
        .to_f / Etc.sysconf(Etc::SC_CLK_TCK)
    rescue SystemCallError
      0
    end

    def await(server, text)
      wait_until(PROCESS_PATIENCE, "no #{text.inspect} came: #{server.err}") do
        server.err.include?(text)
      end
    end
  end
end
