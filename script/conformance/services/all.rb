# frozen_string_literal: true

module Conformance
  module Servers
    # Also at its Unix socket.
    class Redis < Server
      NAME = "redis"

      def command
        [program("redis-server"), "--port", @port.to_s, "--bind", "127.0.0.1", "--save", "", "--dir", @folder,
          "--unixsocket", File.join(@folder, "redis.sock"), "--unixsocketperm", "777"]
      end
    end

    # Without a folder of its own.
    class Memcached < Server
      NAME = "memcached"

      def command = [program("memcached"), "-l", "127.0.0.1", "-p", @port.to_s, "-U", "0"]
    end

    # With a superuser "raffia" that needs no password, and a database of that name.
    class Postgres < Server
      NAME = "postgres"

      def prepare
        run(program("initdb"), "-D", data, "-U", "raffia", "-A", "trust", "-E", "UTF8",
          "--no-sync", "--locale=C")
      end

      def command
        [program("postgres"), "-D", data, "-p", @port.to_s, "-h", "127.0.0.1", "-k", @folder, "-c", "fsync=off",
          "-c", "full_page_writes=off", "-c", "max_connections=100"]
      end

      def answers?
        system(*as_user, program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", @port.to_s)
      end

      def ready
        run(program("createdb"), "-h", "127.0.0.1", "-p", @port.to_s, "-U", "raffia", "raffia")
      end

      def data = File.join(@folder, "data")
    end

    # With root and a user "raffia", who need no password, and a database "raffia".
    class MariaDB < Server
      NAME = "mariadb"
      SETUP = <<~SQL
        CREATE DATABASE raffia;
        CREATE USER raffia@localhost, raffia@'127.0.0.1', root@'127.0.0.1';
        ALTER USER root@localhost IDENTIFIED BY '';
        GRANT ALL ON *.* TO raffia@localhost, raffia@'127.0.0.1', root@'127.0.0.1' WITH GRANT OPTION;
      SQL

      def prepare
        run(program("mariadb-install-db"), "--no-defaults", "--datadir=#{data}", "--skip-test-db",
          "--auth-root-authentication-method=normal")
      end

      def command
        [program("mariadbd"), "--no-defaults", "--datadir=#{data}", "--port=#{@port}", "--bind-address=127.0.0.1",
          "--socket=#{socket}", "--pid-file=#{@folder}/pid", "--innodb-flush-log-at-trx-commit=0", "--local-infile=1"]
      end

      def ready
        Source.command(program("mariadb"), "--no-defaults", "-uroot", "-S", socket, "-e", SETUP)
      end

      def data = File.join(@folder, "data")

      def socket = File.join(@folder, "mysql.sock")

      def answers? = super && File.exist?(socket)
    end

    # For the user that runs it, with a key that is made for it. Needs root or that user's own
    # account.
    class SSH < Server
      NAME = "sshd"

      def as_user = []

      def prepare
        FileUtils.chown(nil, nil, @folder)
        %w[host user].each { |key|
          run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", File.join(@folder, key))
        }
        FileUtils.cp(File.join(@folder, "user.pub"), File.join(@folder, "authorized_keys"))
        FileUtils.mkdir_p("/run/sshd") if root?
      end

      def command
        options = {"ListenAddress" => "127.0.0.1", "Port" => @port, "HostKey" => "#{@folder}/host", "PidFile" => "none",
                   "AuthorizedKeysFile" => "#{@folder}/authorized_keys", "StrictModes" => "no", "UsePAM" => "no",
                   "PermitRootLogin" => "yes"}
        [program("sshd"), "-D", "-e", "-f", File::NULL, *options.flat_map { |key, value|
          ["-o", "#{key}=#{value}"]
        }]
      end
    end
  end
end
