# frozen_string_literal: true

module Conformance
  module Servers
    # Also at its Unix socket.
    class Redis < Server
      NAME = "redis"
      PACKAGES = "redis-server"

      def command
        [program("redis-server"), "--port", @port.to_s, "--bind", "127.0.0.1", "--save", "",
          "--enable-debug-command", "yes", "--dir", @folder,
          "--unixsocket", File.join(@folder, "redis.sock"), "--unixsocketperm", "777"]
      end
    end

    # Without a folder of its own.
    class Memcached < Server
      NAME = "memcached"
      PACKAGES = "memcached"

      def command = [program("memcached"), "-l", "127.0.0.1", "-p", @port.to_s, "-U", "0"]
    end

    # httpbin behind a proxy that speaks HTTP/1.1 and HTTP/2 to clients: in plain text, and over TLS
    # on another port with a certificate of its own (%{httpbin_folder}/certificate.pem).
    class Httpbin < Server
      NAME = "httpbin"
      PACKAGES = "gunicorn python3-httpbin nghttp2-proxy"

      def facts = super.merge(httpbin_tls: @tls, httpbin_origin: @origin)

      def prepare
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
          "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
          "-keyout", file("key.pem"), "-out", file("certificate.pem"))
        @tls, @origin = Array.new(2) { TCPServer.open("127.0.0.1", 0) { |socket| socket.addr[1] } }
        program("gunicorn")
      end

      def command
        both = [application, proxy].map { |command| Shellwords.join(command) }
        ["sh", "-c", both.join(" & exec ")]
      end

      def answers?
        super && Net::HTTP.get_response(URI("http://127.0.0.1:#{@port}/get")).is_a?(Net::HTTPOK)
      rescue SystemCallError, IOError
        false
      end

      private

      def file(name) = File.join(@folder, name)

      def application
        [program("gunicorn"), "--bind=127.0.0.1:#{@origin}", "--workers=2", "--threads=8",
          "httpbin:app"]
      end

      def proxy
        [program("nghttpx"), "--conf=/dev/null", "--no-ocsp", "--backend=127.0.0.1,#{@origin}",
          "--frontend=127.0.0.1,#{@port};no-tls", "--frontend=127.0.0.1,#{@tls}",
          file("key.pem"), file("certificate.pem")]
      end
    end

    # With a superuser "raffia" that needs no password, and databases that suites expect.
    class Postgres < Server
      NAME = "postgres"
      PACKAGES = "postgresql"
      DATABASES = %w[raffia activerecord_unittest activerecord_unittest2].freeze

      def prepare
        run(program("initdb"), "-D", data, "-U", "raffia", "-A", "trust", "-E", "UTF8",
          "--no-sync", "--locale=C")
      end

      def command
        [program("postgres"), "-D", data, "-p", @port.to_s, "-h", "127.0.0.1", "-k", @folder,
          "-c", "fsync=off",
          "-c", "full_page_writes=off", "-c", "max_connections=100"]
      end

      def answers?
        system(*as_user, program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", @port.to_s)
      end

      def ready
        DATABASES.each do |name|
          run(program("createdb"), "-h", "127.0.0.1", "-p", @port.to_s, "-U", "raffia", name)
        end
      end

      def data = File.join(@folder, "data")
    end

    # With root and a user "raffia", who need no password, and databases that suites expect.
    # Debian's core package has the server without its client, so all is said through files.
    class MariaDB < Server
      NAME = "mariadb"
      PACKAGES = "mariadb-server-core"
      TABLES = %w[system_tables performance_tables system_tables_data].freeze
      BOOTSTRAP = <<~SQL
        SET @auth_root_socket=NULL, @current_hostname='localhost', @skip_auth_anonymous=1;
        CREATE DATABASE mysql;
        USE mysql;
      SQL
      # A statement a line.
      SETUP = <<~SQL
        CREATE DATABASE IF NOT EXISTS raffia;
        CREATE DATABASE IF NOT EXISTS test;
        CREATE DATABASE IF NOT EXISTS mysql2_test;
        CREATE USER IF NOT EXISTS raffia@'%', root@'127.0.0.1';
        GRANT ALL ON *.* TO raffia@'%' WITH GRANT OPTION;
        GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;
      SQL

      def prepare
        tables = TABLES.map { |name| File.read(Dir["/usr/share/mysql/m*_#{name}.sql"].first) }
        input = [BOOTSTRAP, *tables].join
        File.write(File.join(@folder, "setup.sql"), SETUP)
        File.write(File.join(@folder, "bootstrap.sql"), input)
        bootstrap = [*base, "--bootstrap"].join(" ")
        run("mkdir", data)
        run("sh", "-c", "#{bootstrap} < #{@folder}/bootstrap.sql")
      end

      def command
        [*base, "--port=#{@port}", "--bind-address=127.0.0.1", "--socket=#{@folder}/mysql.sock",
          "--pid-file=#{@folder}/pid", "--local-infile=1", "--init-file=#{@folder}/setup.sql"]
      end

      def base
        [program("mariadbd"), "--no-defaults", "--datadir=#{data}", "--innodb-buffer-pool-size=16M",
          "--innodb-flush-log-at-trx-commit=0", "--lc-messages-dir=/usr/share/mysql"]
      end

      def data = File.join(@folder, "data")
    end

    # An SSH server for the user that runs it, with a new key. Needs root or that user's own
    # account.
    class SSH < Server
      NAME = "sshd"
      PACKAGES = "openssh-server"

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
        options = {
          "ListenAddress" => "127.0.0.1", "Port" => @port, "HostKey" => "#{@folder}/host",
          "AuthorizedKeysFile" => "#{@folder}/authorized_keys", "PidFile" => "none",
          "StrictModes" => "no", "UsePAM" => "no", "PermitRootLogin" => "yes"
        }
        [program("sshd"), "-D", "-e", "-f", File::NULL, *options.flat_map { |key, value|
          ["-o", "#{key}=#{value}"]
        }]
      end
    end
  end
end
