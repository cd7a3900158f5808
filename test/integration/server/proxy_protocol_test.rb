# frozen_string_literal: true

require_relative "server_case"

# Behind a real haproxy that says who its clients are, in both versions of the PROXY protocol.
class ServerProxyProtocolHaproxyTest < ServerCase
  WHO = ->(env) { [200, {"content-type" => "text/plain"}, [env["REMOTE_ADDR"]]] }

  %w[send-proxy send-proxy-v2].each do |version|
    define_method(:"test_#{version}") do
      need_program "haproxy"
      serve(WHO, bind: "tcp://127.0.0.1:0?proxy=1") do |server|
        behind(server, version) do |port|
          assert_equal %w[127.0.0.2 127.0.0.3],
            %w[127.0.0.2 127.0.0.3].map { |address| ask(port, address) }
        end
      end
    end
  end

  private

  def behind(server, version)
    port = TestSupport::Daemon.free_port
    config = <<~TEXT
      defaults
        mode tcp
        timeout connect 5s
        timeout client 10s
        timeout server 10s
      listen front
        bind 127.0.0.1:#{port}
        server back 127.0.0.1:#{server.port} #{version}
    TEXT
    TestSupport::Daemon.run(TestSupport::Daemon.find("haproxy"), "-db", "-f", "haproxy.cfg",
      port: port, files: {"haproxy.cfg" => config}) { yield port }
  end

  # All of 127/8 is this machine.
  def ask(port, address)
    socket = TCPSocket.new("127.0.0.1", port, address, 0)
    socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
    socket.read.split("\r\n\r\n").last
  ensure
    socket&.close
  end
end
