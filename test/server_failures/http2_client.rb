# frozen_string_literal: true

require "openssl"
require "socket"
require "support/http2/connection"

module ServerFailures
  # Sends several requests at a time on one connection of HTTP/2.
  class HTTP2Client
    # Remembers how far a server that says GOAWAY has come.
    class Connection < TestSupport::HTTP2::Connection
      # @return [Integer, nil] the last stream that the server answers
      attr_reader :last

      def initialize(io)
        @scheme = io.is_a?(OpenSSL::SSL::SSLSocket) ? "https" : "http"
        super
      end

      def request_fields(path = "/", method: "GET")
        super.map { |name, value| [name, (name == ":scheme") ? @scheme : value] }
      end

      private

      def reply(frame)
        @last = frame.last_stream if frame.type == :goaway
        super
      end
    end

    STREAMS = 6
    # A connection ends after so many requests, so that others come.
    MOST = 600
    # The share of requests with a body.
    POSTS = 0.2

    def initialize(port, report, random, tls: false)
      @port = port
      @report = report
      @random = random
      @tls = tls
      @again = []
    end

    # Some requests and their answers. Those that a GOAWAY leaves out are sent again on the next
    # connection, as RFC 9113, 6.8 allows.
    def turn
      numbers = @again.slice!(0, STREAMS)
      numbers << @report.number while numbers.size < 1 + @random.rand(STREAMS)
      begin
        connect unless @connection
      rescue TestSupport::HTTP2::Error, SystemCallError, IOError, OpenSSL::SSL::SSLError => error
        numbers.each { |number| @report.failed(number, error, @local, @opened, @served) }
        return leave
      end
      exchange(numbers)
      leave if @ended || @connection.last || @served >= MOST
    end

    def leave
      @connection&.close
    rescue SystemCallError, OpenSSL::SSL::SSLError
      nil
    ensure
      @connection = nil
    end

    private

    def connect
      @ended = false
      @next = 1
      @served = 0
      @local = nil
      @opened = @report.now
      socket = TCPSocket.new("127.0.0.1", @port)
      @local = socket.local_address.ip_port
      @connection = Connection.new(@tls ? shake(socket) : socket)
      @connection.refill = true
      @connection.greet
      @report.connected
    end

    def shake(socket)
      context = OpenSSL::SSL::SSLContext.new
      context.alpn_protocols = ["h2"]
      OpenSSL::SSL::SSLSocket.new(socket, context).tap do |ssl|
        ssl.sync_close = true
        ssl.connect
      end
    end

    def exchange(numbers)
      streams = numbers.to_h do |number|
        stream = @next
        @next += 2
        [stream, number]
      end
      streams.each { |stream, number| send(stream, number) }
      streams.each { |stream, number| receive(stream, number) }
    end

    def send(stream, number)
      return @connection.request(stream, "/#{number}") if @random.rand > POSTS

      @connection.request(stream, method: "POST", flags: [:end_headers])
      @connection.write(TestSupport::HTTP2::Frames.data(stream, number))
    rescue SystemCallError, IOError, OpenSSL::SSL::SSLError
      nil # What came before can be read.
    end

    def receive(stream, number)
      response = @connection.response(stream)
      @served += 1
      @report.answered(number, response.status, response.body, response["x-worker"].to_i)
    rescue TestSupport::HTTP2::Error, SystemCallError, IOError, OpenSSL::SSL::SSLError => error
      @ended = true
      if (@connection.last && stream > @connection.last) || error.message.include?("refused_stream")
        @again << number
        @report.again
      else
        @report.failed(number, error, @local, @opened, @served)
      end
    end
  end
end
