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
      # A MariaDB of the lab's own, on a free port of loopback: its data are in a new folder, and
      # both are gone with the run. The system's service is neither needed nor touched.
      class MariaDB
        PROGRAM = "mariadbd"
        FOLDERS = %w[/usr/sbin /usr/local/sbin /usr/local/bin /usr/bin].freeze
        MISSING = "MariaDB's server is not installed; Debian has it without a service that " \
        "starts: " \
          "apt-get install mariadb-server-core"
        # Enough for 200 clients. Commits reach the disk before they are acknowledged, which is the
        # server's default. It has no system tables and so no accounts: they would take seconds to
        # make.
        SETTINGS = %w[--no-defaults --bind-address=127.0.0.1 --skip-networking=0 --skip-grant-tables
          --skip-log-bin --max-connections=300
          --back-log=300 --innodb-buffer-pool-size=32M].freeze
        # It refuses to be root. This user is everywhere, and owns nothing.
        NOBODY = "nobody"
        # Seconds for its start on a busy machine.
        PATIENCE = 60

        # @return [String, nil]
        def self.program
          FOLDERS.map { |folder| File.join(folder, PROGRAM) }.find { |path| File.executable?(path) }
        end

        # @return [String, nil] what to do when it cannot be had
        def self.missing = (MISSING unless program)

        # @return [Hash{Symbol => Object}]
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

        # @return [void]
        def reset = @connection.query("truncate table lab.t")

        # @return [Hash{Symbol => Integer}]
        def report = {rows: @connection.query("select count(*) from lab.t").to_a.flatten.first}

        # Its data are worth nothing, so it need not put them in order.
        #
        # @return [void]
        def close
          ::Process.kill(:KILL, @pid) && ::Process.wait(@pid) if @pid
          FileUtils.rm_rf(@dir) if @dir
        end

        private

        def command
          [MariaDB.program, *SETTINGS, "--datadir=#{@dir}", "--socket=#{@dir}/socket",
            "--pid-file=#{@dir}/pid", "--port=#{@port}"]
        end

        # It must not outlive this process even if that is killed, and then only the kernel can see
        # to it.
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

        # Without a key that counts up: the lock that hands out its numbers is held for the whole of
        # an `insert ... select`, and the statements would come one after the other.
        def prepare
          @connection.query("create database lab")
          @connection.query("create table lab.t (slept int) engine = innodb")
        end
      end
    end
  end
end
