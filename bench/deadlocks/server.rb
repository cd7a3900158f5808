# frozen_string_literal: true

require "etc"
require "fileutils"
require "socket"

module DeadlocksBench
  # MariaDB with its own settings, on a free port of loopback.
  class Server
    PROGRAM = [*ENV["PATH"].split(":"), "/usr/sbin"].map { |folder| "#{folder}/mariadbd" }
      .find { |path| File.executable?(path) }
    NOBODY = "nobody"

    def initialize(folder)
      abort "bench: there is no MariaDB (apt-get install mariadb-server-core)" unless PROGRAM
      @folder = folder
      FileUtils.chown(NOBODY, nil, folder) if Process.uid.zero?
    end

    def url = "mysql://root@127.0.0.1:#{@port}/bench"

    def start
      @port = Addrinfo.tcp("127.0.0.1", 0).bind { |socket| socket.local_address.ip_port }
      @pid = Process.spawn(*unprivileged, PROGRAM, "--no-defaults", "--datadir=#{@folder}",
        "--socket=#{@folder}/socket", "--pid-file=#{@folder}/pid", "--bind-address=127.0.0.1",
        "--port=#{@port}", "--skip-grant-tables", "--skip-networking=0", "--max-connections=500",
        "--skip-log-bin", in: File::NULL, out: "#{@folder}/log", err: %i[child out])
      sleep(0.05) until answers?
      query("CREATE DATABASE bench")
    end

    def stop
      Process.kill(:KILL, @pid)
      Process.wait(@pid)
    end

    def deadlocks = query("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'").first.last.to_i

    private

    # The gem trilogy may be in the folder of the others' gems only.
    def query(sql)
      Gem.use_paths(FOLDER, [FOLDER, *Gem.path]) if FOLDER
      %w[bigdecimal trilogy].each { |name| gem name }
      require "trilogy"
      connection = Trilogy.new(host: "127.0.0.1", port: @port, username: "root")
      connection.query(sql).rows
    ensure
      connection&.close
    end

    def answers?
      TCPSocket.open("127.0.0.1", @port, &:close) || true
    rescue SystemCallError
      false
    end

    def unprivileged
      return [] unless Process.uid.zero?

      ["setpriv", "--reuid=#{NOBODY}", "--regid=#{Etc.getpwnam(NOBODY).gid}", "--clear-groups"]
    end
  end
end
