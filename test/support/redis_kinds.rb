# frozen_string_literal: true

require_relative "certificates"
require_relative "servers"

module TestSupport
  # A server that keeps its data over a kill, asks for a password, and also listens on a Unix socket
  # and with TLS.
  class GuardedRedis < Redis
    PASSWORD = "geh/eim:@"

    # @return [String]
    def unix_socket = File.join(@dir, "socket")

    # @return [String] of the CA
    def ca = @certificates.ca

    attr_reader :tls_port

    private

    def prepare
      @certificates = Certificates.new(@dir)
      @cert, @key = @certificates.server("localhost")
      Dir[File.join(@dir, "*")].each { |path| FileUtils.chown(NOBODY, nil, path) } if root?
      @tls_port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
    end

    def command
      super +
        ["--requirepass", PASSWORD, "--unixsocket", unix_socket, "--unixsocketperm", "777",
          "--appendonly", "yes", "--appendfsync", "always",
          "--tls-port", @tls_port.to_s, "--tls-cert-file", @cert, "--tls-key-file", @key,
          "--tls-ca-cert-file", ca, "--tls-auth-clients", "no"]
    end

    # It also answers while it still loads its data.
    def ready?(socket)
      socket.write("AUTH #{PASSWORD}\r\nPING\r\n")
      answer = +""
      answer << socket.readpartial(64) while answer.count("\n") < 2 && socket.wait_readable(1)
      answer == "+OK\r\n+PONG\r\n"
    end
  end

  # The target of a failover.
  class StandbyRedis < Redis
  end

  # A node of a cluster.
  class ClusterRedis < Redis
    private

    def command = super + ["--cluster-enabled", "yes"]
  end
end
