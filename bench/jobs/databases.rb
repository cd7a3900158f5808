# frozen_string_literal: true

require "etc"
require "fileutils"
require "socket"
require_relative "../harness/programs"
require_relative "../harness/wrong"

module JobsBench
  # Databases for jobs: a server for each run, on a free port of loopback, or a folder. They have
  # their default settings, but Redis saves nothing to disk.
  module Databases
    # A folder, for what needs no server.
    class Folder
      # @return [String, nil] why it cannot be had here
      def self.trouble = nil

      # @param folder [String]
      def initialize(folder) = @folder = folder

      attr_reader :folder

      # @return [Integer, nil] of the server
      def pid = nil

      # @return [String]
      def url = "sqlite:#{@folder}/jobs.db"

      def start = nil

      def stop = nil

      # @return [Integer, nil] how often the server was asked something, so far
      def requests = nil

      # @return [Float] MiB that the jobs take
      def size
        Dir["#{@folder}/jobs.db*"].select { |file| File.file?(file) }
          .sum { |file| File.size(file) } / 1024.0**2
      end
    end

    # A database with a server process.
    class Server < Folder
      PATIENCE = 30
      # Another program may take the free port first.
      ATTEMPTS = 3
      NOBODY = "nobody"

      attr_reader :pid, :port

      def start
        @log = "#{@folder}/server.log"
        ATTEMPTS.times { return if start_once }
        raise Bench::Wrong, "#{command.first} does not start: #{File.readlines(@log).last}"
      end

      def stop
        return unless @pid

        Process.kill(:INT, @pid)
        Process.wait(@pid)
        @pid = nil
      end

      private

      def start_once
        @port = Addrinfo.tcp("127.0.0.1", 0).bind { |socket| socket.local_address.ip_port }
        @pid = Process.spawn(*command, in: File::NULL, out: @log, err: %i[child out])
        await
      end

      # False when the server ended instead, or is too late.
      def await
        give_up = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE
        until answers?
          return @pid = nil if Process.wait(@pid, Process::WNOHANG)
          return stop if Process.clock_gettime(Process::CLOCK_MONOTONIC) > give_up

          sleep(0.02)
        end
        true
      end

      # For servers that refuse to be root. This user is on every Linux, and owns nothing.
      def unprivileged
        if Process.uid.zero?
          ["setpriv", "--reuid=#{NOBODY}", "--regid=#{Etc.getpwnam(NOBODY).gid}", "--clear-groups"]
        else
          []
        end
      end

      def talk(words)
        TCPSocket.open("127.0.0.1", @port) do |socket|
          socket.write(words)
          socket.wait_readable(2) && socket.readpartial(16_384)
        end
      rescue SystemCallError, EOFError
        nil
      end
    end

    # Saves nothing to the disk, as it is when it is started like this.
    class Redis < Server
      def self.trouble
        (unless Bench::Programs.tool?("redis-server")
           "there is no redis-server (apt-get install " \
            "redis-server)"
         end)
      end

      def url = "redis://127.0.0.1:#{port}/0"

      # Commands in one packet count as one.
      def requests = info("stats", "total_reads_processed")

      def size = info("memory", "used_memory") / 1024.0**2

      private

      def command
        ["redis-server", "--port", port.to_s, "--bind", "127.0.0.1", "--save", "", "--appendonly",
          "no", "--dir", folder]
      end

      def answers? = talk("PING\r\n")&.start_with?("+PONG")

      def info(section, name) = talk("INFO #{section}\r\n")[/^#{name}:(\d+)/, 1].to_i
    end

    # Debian's, with its own settings; the cluster is made once, because that takes seconds.
    class PostgreSQL < Server
      PROGRAM = Dir["/usr/lib/postgresql/*/bin/postgres"].max_by { |path| path[/\d+/].to_i }
      # RAFFIA_BENCH_CLUSTER is another place for it, so that two benchmarks may run.
      CLUSTER = ENV.fetch("RAFFIA_BENCH_CLUSTER", "/var/tmp/raffia-bench-postgres-#{Process.uid}")

      def self.trouble = ("there is no PostgreSQL (apt-get install postgresql)" unless PROGRAM)

      def url = "postgres://postgres@127.0.0.1:#{port}/bench"

      def start
        make unless File.exist?("#{CLUSTER}/PG_VERSION")
        super
        psql("postgres", "drop database if exists bench")
        psql("postgres", "create database bench")
      end

      def size = psql("bench", "select pg_database_size('bench')").to_i / 1024.0**2

      private

      def make
        FileUtils.mkdir_p(CLUSTER)
        FileUtils.chown(NOBODY, nil, CLUSTER) if Process.uid.zero?
        made = system(*unprivileged, "#{File.dirname(PROGRAM)}/initdb", "--pgdata=#{CLUSTER}",
          "--username=postgres", "--auth=trust", "--encoding=UTF8",
          "--no-locale", "--no-sync", out: File::NULL, err: File::NULL, chdir: CLUSTER)
        raise Bench::Wrong, "initdb failed" unless made
      end

      def command
        settings = {listen_addresses: "127.0.0.1", unix_socket_directories: "",
                    max_connections: 300}
        [*unprivileged, PROGRAM, "-D", CLUSTER, "-p", port.to_s,
          *settings.flat_map { |name, value| ["-c", "#{name}=#{value}"] }]
      end

      # N, for no, comes while it is starting too, so a session is asked for.
      def answers?
        words = "user\0postgres\0database\0postgres\0\0"
        talk([words.bytesize + 8, 3 << 16].pack("NN") + words)&.start_with?("R")
      end

      def psql(database, statement)
        IO.popen(["#{File.dirname(PROGRAM)}/psql", "-h", "127.0.0.1", "-p", port.to_s, "-U",
          "postgres", "-At", "-c", statement, database], err: File::NULL, &:read)
      end
    end

    # Debian's, with its own settings, and without passwords.
    class MariaDB < Server
      PROGRAM = [*ENV["PATH"].split(":"), "/usr/sbin"].map { |folder| "#{folder}/mariadbd" }
        .find { |path| File.executable?(path) }

      def self.trouble
        "there is no MariaDB (apt-get install mariadb-server-core)" unless PROGRAM
      end

      def url = "mysql://root@127.0.0.1:#{port}/bench"

      def start
        @data = "#{folder}/mariadb"
        FileUtils.mkdir_p(@data)
        FileUtils.chown(NOBODY, nil, @data) if Process.uid.zero?
        File.write("#{folder}/init.sql", "CREATE DATABASE IF NOT EXISTS bench;\n")
        super
      end

      # It takes seconds to end by itself, and its data is removed.
      def stop
        return unless @pid

        Process.kill(:KILL, @pid)
        Process.wait(@pid)
        @pid = nil
      end

      def size = Dir["#{@data}/**/*"].sum { |file| File.size(file) } / 1024.0**2

      private

      def command
        [*unprivileged, PROGRAM, "--no-defaults", "--datadir=#{@data}", "--skip-log-bin",
          "--socket=#{@data}/socket", "--pid-file=#{@data}/pid", "--bind-address=127.0.0.1",
          "--port=#{port}", "--skip-grant-tables", "--skip-networking=0", "--max-connections=500",
          "--init-file=#{folder}/init.sql"]
      end

      # It greets.
      def answers? = !talk("").nil?
    end

    ALL = {folder: Folder, redis: Redis, postgres: PostgreSQL, mariadb: MariaDB}.freeze
  end
end
