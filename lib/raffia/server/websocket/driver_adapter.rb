# frozen_string_literal: true

require_relative "../../base"
require_relative "frame_reader"

module Raffia
  class Server
    class WebSocket
      # With all that it would load when it is used first: reading files makes a fiber wait, where
      # nobody expects it.
      Optional.gem("websocket-driver", ">= 0.7.6", for: "a WebSocket", feature: "websocket/driver")
      [::WebSocket::Driver::Headers, ::WebSocket::Driver::StreamReader,
        ::WebSocket::Driver::Hybi::Frame, ::WebSocket::Driver::Hybi::Message].freeze

      # The gem websocket-driver: the handshake's headers, frames to messages and back. This is the
      # one file that knows it.
      #
      # @api private
      class DriverAdapter
        # @return [String, nil] of the subprotocols
        attr_reader :protocol

        # What the driver takes for its socket: it asks for the request once, and writes. It holds
        # the request no longer than the handshake.
        class Port
          attr_accessor :env, :outbox

          def write(bytes) = outbox ? outbox.push(bytes) : (@handshake = bytes)

          def handshake
            @handshake.lines(chomp: true).drop(1).reject(&:empty?).to_h do |line|
              name, value = line.split(": ", 2)
              [name.downcase, value]
            end
          end
        end

        def initialize(env, max_message:, protocols:, extensions:)
          @port = Port.new
          # The driver knows this one name alone; a client may offer other protocols beside it.
          @port.env = env.merge("HTTP_UPGRADE" => "websocket")
          @driver = ::WebSocket::Driver::Hybi.new(@port, max_length: max_message,
            protocols: protocols, require_masking: true)
          extensions.each { |extension| @driver.add_extension(extension) }
          @driver.start
          @port.env = nil
          @protocol = @driver.protocol
          @frames = FrameReader.new
          @held = false
        end

        # @return [Hash] the headers of the answer
        def headers = @port.handshake

        # @param socket [WebSocket] hears of messages and of the end
        def attach(outbox, socket)
          @port.outbox = outbox
          @socket = socket
          @driver.on(:message) do |event|
            @held = true
            socket.received(event.data)
          end
          @driver.on(:close) { |event| socket.closed(event.code, event.reason) }
        end

        # @return [Boolean] whether frames behind the last message may wait for {resume}
        def held? = @held

        # Parses up to the end of the next message, and keeps the rest. Thus the answer to the
        # peer's close comes after all that the application writes about the messages before it.
        # @param bytes [String]
        def parse(bytes)
          @frames.push(bytes)
          resume
        end

        # Parses the frames behind the last message.
        def resume
          @held = false
          while !@held && @driver.state != :closed && (piece = @frames.next)
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
