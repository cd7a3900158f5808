# frozen_string_literal: true

require "etc"
require "fileutils"
require "socket"
require "tmpdir"
require_relative "../../base/clock"
require_relative "../../base/optional"

module Raffia
  module Lab
    class Service
      # A private MariaDB on a free port of loopback, with its data in a new folder. Both are gone
      # after the run. The system's service is neither needed nor touched.
      class MariaDB
        PROGRAM = "mariadbd"
        FOLDERS = %w[/usr/sbin /usr/local/sbin /usr/local/bin /usr/bin].freeze
        MISSING = "MariaDB's server is not installed; Debian has it without a service that " \
          "starts: apt-get install mariadb-server-core"
        # Enough for 200 clients. Commits are flushed to disk, the server's default. There are no
        # system tables and so no accounts: they would take seconds to make.
        SETTINGS = %w[--no-defaults --bind-address=127.0.0.1 --skip-networking=0 --skip-grant-tables
          --skip-log-bin --max-connections=300 --back-log=300
          --innodb-buffer-pool-size=32M].freeze
        # It refuses to run as root. This user exists everywhere, and owns nothing.
        NOBODY = "nobody"
        # Seconds for its start on a busy machine.
        PATIENCE = 60

        def self.program
          FOLDERS.map { |folder| File.join(folder, PROGRAM) }.find { |path| File.executable?(path) }
        end

        # Advice when the program is missing, else nil.
        def self.missing = (MISSING unless program)

        def open(_scope)
          Optional.gem("trilogy", for: "the lab's blocking_db experiment")
          @dir = Dir.mktmpdir("raffia-lab-mariadb-")
          FileUtils.chown(NOBODY, nil, @dir) if root?
          @port = TCPServer.open("127.0.0.1", 0) { |server| server.local_address.ip_port }
          @pid = ::Process.spawn(*unprivileged, *command, in: File::NULL, out: log,
            err: %i[child out], chdir: @dir)
          @connection = connect
          prepare
          {port: @port}
        end

        def reset = @connection.query("truncate table lab.t")

        def report = {rows: @connection.query("select count(*) from lab.t").to_a.flatten.first}

        # SIGKILL, because its data are worth nothing.
        def close
          ::Process.kill(:KILL, @pid) && ::Process.wait(@pid) if @pid
          FileUtils.rm_rf(@dir) if @dir
        end

        private

        def command
          [MariaDB.program, *SETTINGS, "--datadir=#{@dir}", "--socket=#{@dir}/socket",
            "--pid-file=#{@dir}/pid", "--port=#{@port}"]
        end

        # It must not outlive this process, not even after kill -9: the kernel sees to that.
        def unprivileged
          if root?
            user = ["--reuid=#{NOBODY}", "--regid=#{Etc.getpwnam(NOBODY).gid}", "--clear-groups"]
          end
          ["setpriv", *user, "--pdeathsig=KILL"]
        end

        def root? = ::Process.uid.zero?

        def log = File.join(@dir, "log")

        def connect
          give_up = Clock.now + PATIENCE
          begin
            Trilogy.new(host: "127.0.0.1", port: @port, username: "root")
          rescue Trilogy::Error, SystemCallError
            if Clock.now > give_up || ended?
              raise Error, "MariaDB did not start: #{File.read(log)[-2_000..] || File.read(log)}"
            end
            sleep(0.02)
            retry
          end
        end

        def ended?
          return false unless ::Process.wait(@pid, ::Process::WNOHANG)
          @pid = nil
          true
        end

        # Without an auto-increment key: `insert ... select` holds the lock of its numbers for the
        # whole statement, and the statements would run one after the other.
        def prepare
          @connection.query("create database lab")
          @connection.query("create table lab.t (slept int) engine = innodb")
        end
      end
    end
  end
end
