# frozen_string_literal: true

require "fileutils"
require "socket"
require "tmpdir"

module TestSupport
  # A program that others are in front of, or behind: it runs as long as a block does, in a folder
  # of its own.
  class Daemon
    PATIENCE = 60
    FOLDERS = [*ENV["PATH"].split(":"), "/usr/sbin"].freeze

    class Missing < StandardError; end

    # @return [String] its path
    # @raise [Missing]
    def self.find(name)
      FOLDERS.map { |folder| File.join(folder, name) }.find { |path| File.executable?(path) } or
        raise Missing, "#{name} is not installed here (as root: bin/setup --server)"
    end

    # Which were given out: the kernel may name a port again before the one who was to have it
    # listens there.
    PORTS = Thread::Queue.new

    # A port that is free now, and that no other server here has got.
    def self.free_port
      taken = Array.new(PORTS.size) { PORTS.pop }.each { |port| PORTS << port }
      port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] } until port &&
          !taken.include?(port)
      port.tap { PORTS << port }
    end

    attr_reader :dir, :pid

    # @param files [Hash{String => String}] what is in its folder
    # @param port [Integer] answers when it is ready
    # @yieldparam daemon [Daemon]
    def self.run(*command, port:, files: {}, env: {})
      daemon = new(files)
      daemon.start(env, command)
      daemon.await(port)
      yield daemon
    ensure
      daemon&.stop
    end

    def initialize(files)
      @dir = Dir.mktmpdir("raffia-daemon-")
      files.each do |name, text|
        path = File.join(@dir, name)
        FileUtils.mkdir_p(File.dirname(path))
        File.write(path, text)
      end
    end

    def start(env, command)
      # A killed process cannot clean up after itself.
      env = {"TMPDIR" => @dir, **env}
      @pid = ::Process.spawn(env, *command, chdir: @dir, in: File::NULL,
        out: File.join(@dir, "log"), err: %i[child out], pgroup: true)
    end

    def await(port)
      give_up = TestSupport.now + PATIENCE
      until listens?(port)
        if ::Process.wait(@pid, ::Process::WNOHANG)
          @pid = nil
          raise "it ended at once:\n#{log}"
        end
        raise "it does not listen on #{port}:\n#{log}" if TestSupport.now > give_up
        sleep(0.02)
      end
    end

    def log = File.read(File.join(@dir, "log"))

    def stop
      if @pid
        ::Process.kill(:KILL, -@pid)
        ::Process.wait(@pid)
      end
    rescue Errno::ESRCH
      ::Process.wait(@pid)
    ensure
      FileUtils.rm_rf(@dir)
    end

    private

    def listens?(port)
      TCPSocket.open("127.0.0.1", port).close
      true
    rescue SystemCallError
      false
    end
  end
end
