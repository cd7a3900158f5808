# frozen_string_literal: true

require "etc"
require "fileutils"
require "io/wait"
require "socket"
require "tmpdir"

module TestSupport
  # Real servers for the tests of drivers: each is started when a test asks for it first, on a free
  # port of loopback, with its data in a folder of its own, and is gone with its folder when the
  # tests end, however they end.
  class Server
    # For a start on a busy machine.
    PATIENCE = 60
    # Starts the server once for each line that comes in, and says its pid. Its standard input ends
    # with the process of the tests, even by kill -9, and with it the server: the one way to stop
    # that cannot be forgotten. Reaps a killed one before the next.
    GUARD = <<~SH
      while read -r _; do wait; "$@" >>"$DIR/log" 2>&1 </dev/null & echo "$!"; done
      kill -s "$STOP" "$!"; wait; rm -rf "$DIR"
    SH
    # Some refuse to be root. This user is on every Linux, and owns nothing.
    NOBODY = "nobody"
    FOLDERS = [*ENV["PATH"].split(":"), "/usr/sbin"].freeze

    # Why a server cannot be had.
    class Missing < StandardError; end

    # @return [Server] the one of this class, running
    # @raise [Missing]
    def self.running = (@instance ||= new).tap(&:start)

    attr_reader :port, :pid

    def initialize
      @program = find or
        raise Missing, "#{self.class::NAME} is not installed here (as root: bin/setup --drivers)"
      @dir = Dir.mktmpdir("raffia-#{self.class::NAME.downcase}-")
      FileUtils.chown(NOBODY, nil, @dir) if root?
      @port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
      prepare
      post_guard
      Minitest.after_run { dismiss_guard }
    end

    def start
      return if @pid

      @orders.puts("start")
      @pid = Integer(@reports.gets)
      give_up = TestSupport.now + PATIENCE
      until answers?
        raise "#{self.class::NAME} does not answer:\n#{log}" if TestSupport.now > give_up
        sleep(0.02)
      end
    end

    # Kills like the kernel when memory is short. It starts again, on the same data, when it is
    # asked for.
    def kill
      ::Process.kill(:KILL, @pid)
      @pid = nil
    end

    private

    def prepare = nil

    # It forks away at once, and so is no child of ours: other tests wait for any child of this
    # process.
    def post_guard
      input, @orders = IO.pipe
      @reports, output = IO.pipe
      starter = ::Process.spawn({"DIR" => @dir, "STOP" => self.class::STOP}, "setsid", "--fork",
        "sh", "-c", GUARD, "guard", *unprivileged, *command,
        in: input, out: output, err: File::NULL)
      ::Process.wait(starter)
      [input, output].each(&:close)
      @orders.sync = true
    end

    # Waits for its end.
    def dismiss_guard
      @orders.close
      @reports.read
    end

    def find
      FOLDERS.map { |folder| File.join(folder, self.class::PROGRAM) }
        .find { |path| File.executable?(path) }
    end

    def root? = ::Process.uid.zero?

    # By ids and one exec, so that the pid is the server's own.
    def unprivileged
      if root?
        ["setpriv", "--reuid=#{NOBODY}", "--regid=#{Etc.getpwnam(NOBODY).gid}", "--clear-groups"]
      else
        []
      end
    end

    def log = File.read(File.join(@dir, "log"))

    def answers?
      TCPSocket.open("127.0.0.1", @port) { |socket| ready?(socket) }
    rescue SystemCallError
      false
    end
  end

  # Without its system tables and accounts, which it does not need and which take seconds to make.
  class MariaDB < Server
    NAME = "MariaDB"
    PROGRAM = "mariadbd"
    STOP = "KILL"

    private

    def command
      [@program, "--no-defaults", "--datadir=#{@dir}", "--socket=#{@dir}/socket",
        "--pid-file=#{@dir}/pid", "--bind-address=127.0.0.1",
        "--port=#{@port}", "--skip-grant-tables", "--skip-networking=0", "--max-connections=300",
        "--innodb-buffer-pool-size=16M",
        # A kill takes nothing then, a power cut would.
        "--innodb-flush-log-at-trx-commit=2", "--skip-log-bin"]
    end

    # It speaks first; the tenth protocol is the one since 1998.
    def ready?(socket) = socket.wait_readable(1) && socket.readpartial(5).getbyte(4) == 10
  end

  class PostgreSQL < Server
    NAME = "PostgreSQL"
    PROGRAM = "postgres"
    # Ends at once, but takes its shared memory with it.
    STOP = "QUIT"
    # This role needs its password, all others need none. A test that wants it makes it.
    LOCKED = "locked"

    # With its children, who would keep its memory until they notice, and it could not start again.
    def kill
      children = File.read("/proc/#{@pid}/task/#{@pid}/children").split.map(&:to_i)
      super
      children.each { |child| kill_child(child) }
    end

    private

    def kill_child(pid)
      ::Process.kill(:KILL, pid)
      sleep(0.001) until File.read("/proc/#{pid}/stat").include?(") Z ")
    rescue Errno::ESRCH, Errno::ENOENT
      nil # it is gone, and was waited for by whoever it belongs to now
    end

    # Debian keeps several versions side by side, and none of them on PATH.
    def find
      Dir["/usr/lib/postgresql/*/bin/#{PROGRAM}"].max_by { |path| path[/\d+/].to_i } || super
    end

    def data = File.join(@dir, "data")

    def prepare
      made = system(*unprivileged, File.join(File.dirname(@program), "initdb"), "--pgdata=#{data}",
        "--username=postgres", "--auth=trust",
        "--encoding=UTF8", "--no-locale", "--no-sync", out: File.join(@dir, "log"),
        err: %i[child out], chdir: @dir)
      raise "initdb failed:\n#{log}" unless made

      hosts = File.join(data, "pg_hba.conf")
      File.write(hosts, "host all #{LOCKED} 127.0.0.1/32 scram-sha-256\n#{File.read(hosts)}")
    end

    def command
      settings = {listen_addresses: "127.0.0.1", unix_socket_directories: @dir,
                  max_connections: 300, fsync: "off", jit: "off",
                  dynamic_shared_memory_type: "mmap"}
      [@program, "-D", data, "-p", @port.to_s,
        *settings.flat_map { |name, value| ["-c", "#{name}=#{value}"] }]
    end

    # A request for TLS; N, for no, also comes while it is starting, so ask for a session: R is the
    # request to log in, or that one is in.
    def ready?(socket)
      words = "user\0postgres\0database\0postgres\0\0"
      socket.write([words.bytesize + 8, 3 << 16].pack("NN") + words)
      socket.wait_readable(1) && socket.readpartial(1) == "R"
    end
  end

  class Redis < Server
    NAME = "Redis"
    PROGRAM = "redis-server"
    STOP = "KILL"

    private

    def command
      [@program, "--port", @port.to_s, "--bind", "127.0.0.1", "--save", "", "--dir", @dir,
        "--maxclients", "1000"]
    end

    def ready?(socket)
      socket.write("PING\r\n")
      socket.wait_readable(1) && socket.readpartial(5) == "+PONG"
    end
  end

  class Beanstalkd < Server
    NAME = "beanstalkd"
    PROGRAM = "beanstalkd"
    STOP = "KILL"

    private

    def command = [@program, "-l", "127.0.0.1", "-p", @port.to_s]

    def ready?(socket)
      socket.write("list-tubes\r\n")
      socket.wait_readable(1) && socket.readpartial(3) == "OK "
    end
  end

  # Has on its disk what it has said it has.
  class DurableRedis < Redis
    private

    def command = super + ["--appendonly", "yes", "--appendfsync", "always"]
  end
end
