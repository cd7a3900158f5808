# frozen_string_literal: true

require "test_helper"
require "raffia/server"
require "support/certificates"
require "ipaddr"
require "tmpdir"

module Raffia
  # Clients that come through a load balancer.
  class ServerProxyProtocolTest < TestCase
    WHO = ->(env) {
      [200, {"content-type" => "text/plain"}, ["#{env["REMOTE_ADDR"]} #{env["rack.input"].read}"]]
    }
    SIGNATURE = "\r\n\r\n\0\r\nQUIT\n".b

    {
      "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n" => "192.0.2.7",
      "PROXY TCP6 2001:db8::7 2001:db8::1 56324 443\r\n" => "2001:db8::7",
      "PROXY UNKNOWN\r\n" => "127.0.0.1",
      "PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n" => "127.0.0.1",
      "#{SIGNATURE}\x21\x11\x00\x0c".b +
        [192, 0, 2, 8, 198, 51, 100, 1, 56_324, 443].pack("C8n2") => "192.0.2.8",
      "#{SIGNATURE}\x21\x21\x00\x24".b + IPAddr.new("2001:db8::8").hton + IPAddr.new("::1").hton +
        [1, 2].pack("n2") => "2001:db8::8",
      "#{SIGNATURE}\x21\x11\x00\x13".b + [192, 0, 2, 9, 198, 51, 100, 1, 1, 2].pack("C8n2") +
        "\x03\x00\x04abcd".b => "192.0.2.9",
      "#{SIGNATURE}\x20\x00\x00\x00".b => "127.0.0.1",
      "#{SIGNATURE}\x21\x31\x00\x02ab".b => "127.0.0.1"
    }.each do |header, address|
      define_method(:"test_#{header.inspect}") do
        serve do |server|
          [header.bytesize, 1, 13].each do |size|
            assert_equal "#{address} hello", ask(server, header, size), "in pieces of #{size}"
          end
        end
      end
    end

    [
      "GET / HTTP/1.1\r\nhost: a\r\n\r\n", "PROXY TCP4 192.0.2.7\r\n\r\n",
      "PROXY TCP4 nonsense 198.51.100.1 1 2\r\n", "PROXY TCP4 192.0.2.7 198.51.100.1 1 x\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 1 2\n", "PROXY UNKNOWN\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 99999 80\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 1 65536\r\n",
      "PROXY TCP4 192.0.2.7 nonsense 1 2\r\n", "PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n",
      "PROXY TCP6 192.0.2.7 198.51.100.1 1 2\r\n", "PROXY TCP4 192.0.2.0/24 198.51.100.1 1 2\r\n",
      "PROXY TCP4 192.0.2.7 198.51.100.1 1 2 3\r\n",
      "PROXY TCP5 192.0.2.7 198.51.100.1 1 2\r\n", "PROXY #{"x" * 120}\r\n",
      "#{SIGNATURE}\x11\x11\x00\x0c".b + "x" * 12, "#{SIGNATURE}\x21\x11\xff\xff".b,
      "#{SIGNATURE}\x21\x11\x00\x02ab".b
    ].each do |header|
      define_method(:"test_refused_#{header.inspect}") do
        serve do |server|
          assert_empty ask(server, header, header.bytesize)
          assert_equal "127.0.0.1 hello", ask(server, "PROXY UNKNOWN\r\n", 99)
        end
      end
    end

    def test_a_proxy_that_leaves_within_its_header
      serve do |server|
        ["", "PROX", "PROXY TCP4 1", SIGNATURE, "#{SIGNATURE}\x21\x11\x00\x0cab".b].each do |part|
          TCPSocket.open("127.0.0.1", server.port) { |socket| socket.write(part) }
        end
        assert_equal "127.0.0.1 hello", ask(server, "PROXY UNKNOWN\r\n", 99)
      end
    end

    def test_before_tls
      Dir.mktmpdir do |dir|
        cert, key = TestSupport::Certificates.new(dir).server("localhost")
        Server.start(WHO,
          bind: "ssl://127.0.0.1:0?" + URI.encode_www_form(cert: cert, key: key,
            proxy: 1)) do |server|
          socket = TCPSocket.new("127.0.0.1", server.port)
          socket.write("PROXY TCP4 192.0.2.7 198.51.100.1 1 2\r\n")
          ssl = OpenSSL::SSL::SSLSocket.new(socket)
          ssl.sync_close = true
          ssl.connect
          ssl.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
          assert_match(/192\.0\.2\.7 \z/, ssl.read)
          ssl.close
        end
      end
    end

    private

    def serve(&) = Server.start(WHO, bind: "tcp://127.0.0.1:0?proxy=1", &)

    def ask(server, header, size)
      socket = TCPSocket.new("127.0.0.1", server.port)
      socket.setsockopt(:TCP, :NODELAY, true)
      "#{header}POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello".b
        .scan(/.{1,#{size}}/mn) { |piece| socket.write(piece) }
      socket.read.split("\r\n\r\n", 2).last.to_s
    rescue Errno::ECONNRESET, Errno::EPIPE
      ""
    ensure
      socket&.close
    end
  end
end
