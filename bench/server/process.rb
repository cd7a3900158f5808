# frozen_string_literal: true

require "net/http"
require "socket"
require "tmpdir"
require_relative "../harness/meter"
require_relative "../harness/wrong"
require_relative "pin"
require_relative "setup"

module ServerBench
  # A server's process, with all that it starts: alive until the block ends.
  class ServerProcess
    PATIENCE = 20 # seconds to start in
    GRACE = 0.3 # seconds to end in

    # @yieldparam server [ServerProcess] it serves
    def self.open(setup)
      # Some servers look for a Gemfile in every folder above their own.
      Dir.mktmpdir("bench") do |folder|
        server = new(setup, folder)
        server.await
        server.prove
        yield server
      ensure
        server&.stop
      end
    end

    def initialize(setup, folder)
      @port = Addrinfo.tcp("127.0.0.1", 0).bind { |socket| socket.local_address.ip_port }
      @setup = setup.at(@port, folder)
      @setup.files.each { |name, text| File.write(File.join(folder, name), text) }
      @log = File.join(folder, "log")
      yjit = defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?
      @pid = Process.spawn({"RUBYOPT" => ("--yjit" if yjit), **@setup.env},
        *Pin.command(:server, @setup.cores), *@setup.command,
        chdir: folder, in: File::NULL, out: @log, err: %i[child out])
    end

    attr_reader :pid, :port, :setup

    # Until it gives the right answer, which is also the proof that it is this server's.
    def await
      give_up = now + PATIENCE
      until get("/") == "Hello, world\n"
        if now > give_up || Process.wait(@pid, Process::WNOHANG)
          raise Bench::Wrong, "it does not serve: #{last_words}"
        end
        sleep(0.02)
      end
    end

    def prove
      found = get("/stats") if @setup.proof
      unless @setup.proof.nil? || found.match?(@setup.proof)
        raise Bench::Wrong, "it should be #{@setup.proof.inspect}, and is #{found}"
      end
    end

    # @return [String] the answer's body, empty when there is none
    def get(path)
      return get_by_curl(path) if @setup.only_http2

      Net::HTTP.start("127.0.0.1", @port, open_timeout: 5, read_timeout: 3) do |http|
        http.get(path).body
      end
    rescue SystemCallError, IOError, Timeout::Error, Net::ProtocolError
      ""
    end

    def get_by_curl(path)
      IO.popen(["curl", "-s", "--max-time", "3", "--http2-prior-knowledge",
        "http://127.0.0.1:#{@port}#{path}"], &:read)
    end

    # @return [Integer, nil] objects allocated so far
    def allocated
      get("/stats")[/\A\d+/]&.to_i if @setup.counts
    end

    # Its children, too, and soon: how well it ends is not what is measured.
    def stop
      everybody = Bench::Meter.new(pid: @pid, descendants: true).pids
      kill(:TERM, @pid)
      give_up = now + GRACE
      sleep(0.01) until (ended = Process.wait(@pid, Process::WNOHANG)) || now > give_up
      everybody.each { |pid| kill(:KILL, pid) }
      Process.wait(@pid) unless ended
    rescue Errno::ECHILD
      nil # it has ended already
    end

    private

    def kill(signal, pid)
      Process.kill(signal, pid)
    rescue Errno::ESRCH
      nil
    end

    def last_words = File.readlines(@log, chomp: true).reject(&:empty?).last(3).join(" | ")[0, 300]

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
