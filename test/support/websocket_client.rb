# frozen_string_literal: true

require "socket"
require "websocket/driver"

module TestSupport
  # A WebSocket's other side, in plain blocking Ruby.
  class WebSocketClient
    # Seconds for the next bytes, which a worker may send that has yet to start.
    PATIENCE = 60

    attr_reader :url, :io, :code, :reason, :pings, :pongs, :headers, :status

    def self.open(...)
      client = new(...)
      yield client
    ensure
      client&.abandon
    end

    def initialize(io, url: "ws://localhost/", headers: {}, **options)
      @io = io
      @url = url
      @messages = []
      @pings = @pongs = 0
      @driver = ::WebSocket::Driver.client(self, **options)
      headers.each { |name, value| @driver.set_header(name, value) }
      listen
      @driver.start
      receive until @open || @status
    end

    # The driver's.
    def write(bytes) = @io.write(bytes)

    def say(message)
      (message.encoding == Encoding::BINARY) ? @driver.binary(message) : @driver.text(message)
    end

    # @return [String, nil] the next message; nil: closed
    def hear
      receive until @messages.any? || @ended
      @messages.shift
    end

    def ping(text = "", &) = @driver.ping(text, &)
    def close(code = 1000, reason = "") = @driver.close(reason, code)
    def protocol = @driver.protocol

    # @return [Array(Integer, String)] the server's close, waited for
    def farewell
      receive until @ended
      [@code, @reason]
    end

    def receive
      raise "nothing came" unless @io.to_io.wait_readable(PATIENCE)

      # The driver takes no more than 32 KiB with the handshake.
      bytes = @io.read_nonblock(@open ? 65_536 : 2048, exception: false)
      return if bytes.is_a?(Symbol)

      bytes ? @driver.parse(bytes) : @ended = true
    rescue Errno::ECONNRESET
      @ended = true
    end

    def abandon = @io.close

    private

    def listen
      @driver.on(:open) { @open = true }
      @driver.on(:message) { |event| @messages << event.data }
      @driver.on(:ping) { @pings += 1 }
      @driver.on(:pong) { @pongs += 1 }
      @driver.on(:error) { @status = @driver.status }
      @driver.on(:close) do |event|
        @ended = true
        @code = event.code
        @reason = event.reason
      end
    end
  end
end
