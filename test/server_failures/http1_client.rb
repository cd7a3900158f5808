# frozen_string_literal: true

require "openssl"
require "socket"

module ServerFailures
  # Sends one request after the other by HTTP/1.1, on connections that are kept, or on new ones.
  class HTTP1Client
    PATIENCE = 60
    # The share of requests that keep their worker busy, and of those that come in two pieces.
    BUSY = 0.01
    CUT = 0.1
    # The share of requests with a body.
    POSTS = 0.2
    # A connection ends after so many requests, so that others come.
    MOST = 300

    # @param report [Report]
    # @param keep [Boolean] send the next request on the same connection
    # @param tls [Boolean]
    def initialize(port, report, random, keep:, tls: false)
      @port = port
      @report = report
      @random = random
      @keep = keep
      @tls = tls
    end

    # One request and its answer.
    def turn
      number = @report.number
      connect unless @io
      exchange(number)
      leave if !@keep || @closes || (@served += 1) >= MOST
    rescue SystemCallError, IOError, OpenSSL::SSL::SSLError => error
      @report.failed(number, error, @local, @opened, @served)
      leave
    end

    def leave
      @io&.close
    rescue SystemCallError, OpenSSL::SSL::SSLError
      nil
    ensure
      @io = nil
    end

    private

    def connect
      @worker = nil
      @served = 0
      @local = nil
      @opened = @report.now
      socket = TCPSocket.new("127.0.0.1", @port)
      @local = socket.local_address.ip_port
      socket.timeout = PATIENCE
      socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
      @io = socket
      @io = shake(socket) if @tls
      @report.connected
    end

    def shake(socket)
      OpenSSL::SSL::SSLSocket.new(socket, OpenSSL::SSL::SSLContext.new).tap do |ssl|
        ssl.sync_close = true
        ssl.connect
      end
    end

    def exchange(number)
      request = (@random.rand < POSTS) ? post(number) : get(number)
      cut = (@random.rand < CUT) ? @random.rand(request.bytesize) : 0
      @io.write(request.byteslice(0, cut)) if cut.positive?
      @io.write(request.byteslice(cut..))
      @report.answered(number, *answer, moved_from: @worker) { |worker| @worker = worker }
    end

    def get(number)
      query = "?busy" if @keep && @random.rand < BUSY
      "GET /#{number}#{query} HTTP/1.1\r\nhost: a\r\n#{fields}\r\n"
    end

    def post(number)
      "POST / HTTP/1.1\r\nhost: a\r\n#{fields}content-length: #{number.bytesize}\r\n\r\n" \
        "#{number}"
    end

    def fields = ("connection: close\r\n" unless @keep)

    # @return [Array(Integer, String, Integer)] status, body, the worker's pid
    def answer
      head = @io.gets("\r\n\r\n") or raise EOFError, "no answer"
      raise EOFError, "a part of a head" unless head.end_with?("\r\n\r\n")

      @closes = head.match?(/^connection: close/i)
      length = head[/^content-length: (\d+)/i, 1].to_i
      body = @io.read(length)
      raise EOFError, "a part of a body" unless body&.bytesize == length

      [head[/\AHTTP\/1.1 (\d+)/, 1].to_i, body, head[/^x-worker: (\d+)/i, 1].to_i]
    end
  end
end
