# frozen_string_literal: true

require_relative "frame_reader"

module Raffia
  class Server
    class WebSocket
      # Runs the autoloads, too: reading files later would make a fiber wait.
      Optional.gem("websocket-driver", ">= 0.7.6", for: "a WebSocket", feature: "websocket/driver")
      [::WebSocket::Driver::Headers, ::WebSocket::Driver::StreamReader,
        ::WebSocket::Driver::Hybi::Frame, ::WebSocket::Driver::Hybi::Message].freeze

      # Wraps the gem websocket-driver: handshake headers, and frames from and to messages. Only
      # this file knows the gem.
      #
      # @api private
      class DriverAdapter
        # Env of a request that switches protocols, as on HTTP/1.1. HTTP/2 has no key, and nobody
        # reads the answer to it.
        UPGRADE = {"REQUEST_METHOD" => "GET", "HTTP_CONNECTION" => "upgrade",
                   "HTTP_UPGRADE" => "websocket"}.freeze
        NO_KEY = "AAAAAAAAAAAAAAAAAAAAAA=="
        private_constant :UPGRADE, :NO_KEY

        attr_reader :protocol

        # The driver's socket. It keeps the request only for the handshake.
        class DriverSocket
          attr_accessor :env, :send_buffer

          def write(bytes) = send_buffer ? send_buffer.push(bytes) : (@handshake = bytes)

          def handshake
            @handshake.lines(chomp: true).drop(1).reject(&:empty?).to_h do |line|
              name, value = line.split(": ", 2)
              [name.downcase, value]
            end
          end
        end

        def initialize(env, max_message:, protocols:, extensions:)
          @driver_socket = DriverSocket.new
          # The driver knows only this name. A client may offer others, too.
          @driver_socket.env = {"HTTP_SEC_WEBSOCKET_KEY" => NO_KEY, **env, **UPGRADE}
          @driver = ::WebSocket::Driver::Hybi.new(@driver_socket, max_length: max_message,
            protocols: protocols, require_masking: true)
          extensions.each { |extension| @driver.add_extension(extension) }
          @driver.start
          @driver_socket.env = nil
          @protocol = @driver.protocol
          @frames = FrameReader.new
          @paused = false
        end

        def headers = @driver_socket.handshake

        def attach(send_buffer, socket)
          @driver_socket.send_buffer = send_buffer
          @socket = socket
          @driver.on(:message) do |event|
            @paused = true
            socket.received(event.data)
          end
          @driver.on(:close) { |event| socket.closed(event.code, event.reason) }
        end

        # Whether frames after the last message wait for {resume}.
        def paused? = @paused

        # Parses the next message, and keeps the rest. So the application's answers precede the
        # answer to the peer's close.
        def parse(bytes)
          @frames.push(bytes)
          resume
        end

        def resume
          @paused = false
          while !@paused && @driver.state != :closed && (piece = @frames.next)
            @driver.parse(piece)
          end
        rescue FrameReader::Violation => violation
          close(violation.code, violation.message)
          @socket.closed(violation.code, violation.message)
        end

        def message(message)
          return @driver.binary(message) if message.encoding == Encoding::BINARY
          unless message.valid_encoding?
            raise EncodingError, "a text message must be valid #{message.encoding}: send bytes " \
              "as message.b"
          end

          @driver.text(message)
        end

        def ping = @driver.ping

        def close(code, reason) = @driver.close(reason, code)
      end
    end
  end
end
