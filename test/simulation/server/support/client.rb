# frozen_string_literal: true

require "openssl"
require "socket"

module Simulations
  # An HTTP/1.1 client that sees each byte of a connection.
  class Client
    # The connection has ended within a response.
    class Cut < StandardError; end

    # The server has ended the connection before its handshake.
    class NoHandshake < StandardError; end

    Response = Struct.new(:status, :headers, :body) do
      def close? = headers["connection"] == "close"
    end

    # Text of a request.
    # @param size [Integer, nil] of the body; the text may have its beginning only
    def self.text(path, body = nil, size: body&.bytesize, **headers)
      fields = {"Host" => "a", **headers}
      fields["Content-Length"] = size if size
      "#{body ? "POST" : "GET"} #{path} HTTP/1.1\r\n" \
        "#{fields.map { |name, value| "#{name}: #{value}\r\n" }.join}\r\n#{body}"
    end

    # @param tls [OpenSSL::SSL::SSLContext, nil]
    # @param handshake [Boolean] whether to do it at once
    # @raise [NoHandshake]
    def initialize(host, port, tls: nil, handshake: true)
      @socket = TCPSocket.new(host, port)
      return unless tls

      @socket = OpenSSL::SSL::SSLSocket.new(@socket, tls)
      @socket.sync_close = true
      self.handshake if handshake
    end

    attr_reader :socket

    # @raise [NoHandshake]
    def handshake
      @socket.connect if @socket.respond_to?(:connect)
    rescue OpenSSL::SSL::SSLError, SystemCallError => error
      @socket.to_io.close
      raise NoHandshake, error.message
    end

    def write(bytes) = @socket.write(bytes)

    def request(path, ...) = write(Client.text(path, ...))

    # The next response; nil: the connection has ended in order.
    # @raise [Cut]
    def response
      line = @socket.gets("\r\n") or return
      headers = {}
      while (field = @socket.gets("\r\n")) != "\r\n"
        name, value = field.to_s.chomp("\r\n").split(": ", 2)
        raise Cut, "in the head: #{line.inspect}" unless value

        headers[name] = value
      end
      body = @socket.read(headers.fetch("content-length").to_i)
      unless body.to_s.bytesize.to_s == headers["content-length"]
        raise Cut, "#{body.to_s.bytesize} of #{headers["content-length"]} bytes"
      end

      Response.new(line[/ (\d+)/, 1].to_i, headers, body)
    end

    # All responses until the end.
    def responses
      found = []
      while (response = self.response)
        found << response
      end
      found
    end

    def close = @socket.close

    # Closes with a RST.
    def reset
      @socket.to_io.setsockopt(Socket::Option.linger(true, 0))
      @socket.to_io.close
    end
  end
end
