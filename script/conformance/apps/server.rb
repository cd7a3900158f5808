# frozen_string_literal: true

module Conformance
  # A server that runs an application, in two processes, and can be restarted one process after the
  # other.
  class AppServer
    PATIENCE = 120

    # The server's name, the signal of a rolling restart.
    KINDS = {"raffia" => :HUP, "puma" => :USR1}.freeze
    PUMA = <<~RUBY
      workers 2
      threads 3, 3
      preload_app! false
      bind "tcp://127.0.0.1:%d"
      environment "production"
    RUBY

    attr_reader :port, :name

    # @param folder [String] the application
    # @param env [Hash{String => String}] its variables
    def self.open(name, folder, env)
      server = new(name, folder, env)
      server.start
      yield server
    ensure
      server&.stop
    end

    def initialize(name, folder, env)
      @name = name
      @folder = folder
      @env = env
      @port = TCPServer.open("127.0.0.1", 0) { |socket| socket.addr[1] }
    end

    def start
      FileUtils.mkdir_p(File.join(@folder, "tmp"))
      @pid = ::Process.spawn(@env, *command, chdir: @folder, out: [log, "w"], err: [:child, :out],
        in: File::NULL, pgroup: true)
      give_up = now + PATIENCE
      until answers?
        ended = ::Process.wait(@pid, ::Process::WNOHANG)
        raise Error, "#{@name} does not start: #{tail}" if now > give_up || ended
        sleep(0.1)
      end
    end

    def restart = ::Process.kill(KINDS.fetch(@name), @pid)

    def stop
      return unless @pid

      ::Process.kill(:TERM, @pid)
      give_up = now + 20
      sleep(0.1) until (ended = ::Process.wait(@pid, ::Process::WNOHANG)) || now > give_up
      ::Process.kill(:KILL, -@pid)
    rescue Errno::ESRCH, Errno::ECHILD
      nil
    ensure
      ::Process.wait(@pid) if @pid && !ended && alive?
      @pid = nil
    end

    # @return [String] the last of what it wrote
    def tail = File.readlines(log).last(8).join

    private

    def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)

    def log = File.join(@folder, "tmp", "#{@name}.log")

    def alive?
      ::Process.kill(0, @pid)
      true
    rescue Errno::ESRCH
      false
    end

    def command
      bundle = [RbConfig.ruby, "-S", "bundle", "exec"]
      if @name == "raffia"
        return [*bundle, "raffia", "serve", "--port", @port.to_s, "--processes", "2",
          "--environment", "production"]
      end

      File.write(File.join(@folder, "tmp/puma.rb"), format(PUMA, @port))
      [*bundle, "puma", "-C", "tmp/puma.rb", "config.ru"]
    end

    def answers?
      Net::HTTP.start("127.0.0.1", @port, read_timeout: 30) { |http| http.get("/up") }
      true
    rescue SystemCallError, IOError, Net::ReadTimeout
      false
    end
  end
end
