# frozen_string_literal: true

require_relative "../../base"
require_relative "frame_reader"

module Raffia
  class Server
    class WebSocket
      # Loads its autoloads, too: reading files later would make a fiber wait.
      Optional.gem("websocket-driver", ">= 0.7.6", for: "a WebSocket", feature: "websocket/driver")
      [::WebSocket::Driver::Headers, ::WebSocket::Driver::StreamReader,
        ::WebSocket::Driver::Hybi::Frame, ::WebSocket::Driver::Hybi::Message].freeze

      # Wraps the gem websocket-driver: headers of the handshake, frames to messages and back. Only
      # this file knows the gem.
      #
      # @api private
      class DriverAdapter
        # @return [String, nil] of the subprotocols
        attr_reader :protocol

        # The driver's socket: it reads the request once, and writes. It keeps the request only for
        # the handshake.
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
          # The driver knows only this name; a client may offer other protocols, too.
          @driver_socket.env = env.merge("HTTP_UPGRADE" => "websocket")
          @driver = ::WebSocket::Driver::Hybi.new(@driver_socket, max_length: max_message,
            protocols: protocols, require_masking: true)
          extensions.each { |extension| @driver.add_extension(extension) }
          @driver.start
          @driver_socket.env = nil
          @protocol = @driver.protocol
          @frames = FrameReader.new
          @paused = false
        end

        # @return [Hash] of the response
        def headers = @driver_socket.handshake

        # @param socket [WebSocket] gets messages and the end
        def attach(send_buffer, socket)
          @driver_socket.send_buffer = send_buffer
          @socket = socket
          @driver.on(:message) do |event|
            @paused = true
            socket.received(event.data)
          end
          @driver.on(:close) { |event| socket.closed(event.code, event.reason) }
        end

        # @return [Boolean] whether frames after the last message may wait for {resume}
        def paused? = @paused

        # Parses up to the end of the next message, and keeps the rest. So the answer to the peer's
        # close follows the application's answers to the messages before it.
        def parse(bytes)
          @frames.push(bytes)
          resume
        end

        # Parses the frames after the last message.
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
