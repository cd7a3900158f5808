# frozen_string_literal: true

require "securerandom"
require "socket"

module Raffia
  class Server
    module HTTP2
      # Gives an application that takes the socket of a WebSocket (`rack.hijack`) one of its own,
      # and copies between that and the stream of an extended CONNECT.
      #
      # The application sees the request of HTTP/1.1 (RFC 6455). Its 101 becomes the stream's 200.
      #
      # @api private
      class Bridge
        # Bytes of the application's head, at most.
        MOST_HEAD = 32 * 1024
        CHUNK = 64 * 1024
        END_OF_HEAD = "\r\n\r\n"
        STATUS = %r{\AHTTP/1\.1 (\d{3})\b}
        # Fields of HTTP/1.1 alone.
        DROPPED = %w[connection upgrade sec-websocket-accept transfer-encoding].freeze
        INTERNAL_ERROR = 2
        private_constant :MOST_HEAD, :CHUNK, :END_OF_HEAD, :STATUS, :DROPPED, :INTERNAL_ERROR

        # Makes the request of a WebSocket of HTTP/1.1 of an extended CONNECT.
        def self.translate(env)
          env.update("REQUEST_METHOD" => "GET", "HTTP_UPGRADE" => "websocket",
            "HTTP_CONNECTION" => "Upgrade", "rack.hijack?" => true,
            "HTTP_SEC_WEBSOCKET_KEY" => SecureRandom.base64(16))
        end

        def initialize(stream)
          @stream = stream
          @events = ::Thread::Queue.new
          @ended = ::Thread::Queue.new
        end

        # The application's end, for good. Called in its fiber or thread.
        def socket
          own, application = ::UNIXSocket.pair
          @events << own
          application
        end

        # In a fiber of the connection's scope.
        def run(context)
          @socket = @events.pop or return
          subscription = context.drain.call { close }
          Scope.open do |scope|
            scope.spawn { receive }
            respond
            scope.cancel
          end
        rescue Disconnected, SystemCallError, IOError
          nil # the client, or the application, has left
        rescue => error # one of the application's head, or ours: other streams go on
          context.log.error(error)
          @stream.reset(INTERNAL_ERROR)
        ensure
          subscription&.cancel
          @socket&.close
          @ended.close
        end

        # The application's call has ended. Waits for the end of the socket that it has taken.
        def finish
          @events.close
          @ended.pop
        end

        private

        # The application, and the fiber that reads from it, see the end of the socket.
        def close
          @socket.shutdown(::Socket::SHUT_RDWR)
        rescue SystemCallError, IOError
          nil
        end

        # The client's bytes. The end of them is no end of the application's.
        def receive
          while (piece = @stream.read_body(CHUNK))
            @socket.write(piece)
          end
          @socket.close_write
        rescue Disconnected
          close
        rescue SystemCallError, IOError
          nil # the application has closed its end
        end

        def respond
          status, fields, rest = head
          return @stream.reset(INTERNAL_ERROR) unless status

          if status == 101
            @stream.begin_raw(status, fields, "websocket")
          elsif !@stream.begin(status, fields)
            return @stream.finish
          end
          copy(rest)
          @stream.finish
        end

        def copy(piece)
          while piece
            @stream.write(piece) unless piece.empty?
            piece = read
          end
        end

        # The application's bytes; nil at their end. An application that closes without reading all
        # of the client's bytes resets its socket, and has written all that it wanted to.
        def read
          @socket.readpartial(CHUNK)
        rescue EOFError, Errno::ECONNRESET
          nil
        end

        # Returns status, fields and what came after them; nil: it is no head.
        def head
          bytes = +""
          until (finish = bytes.index(END_OF_HEAD))
            return if bytes.bytesize > MOST_HEAD

            bytes << @socket.readpartial(CHUNK)
          end
          status = bytes[STATUS, 1] or return
          [status.to_i, fields(bytes.byteslice(0, finish)),
            bytes.byteslice((finish + END_OF_HEAD.bytesize)..)]
        rescue EOFError
          nil
        end

        def fields(head)
          head.lines(chomp: true).drop(1).filter_map { |line|
            name, value = line.split(":", 2)
            [name.downcase, value.strip] if value && !DROPPED.include?(name.downcase)
          }.group_by(&:first).transform_values { |pairs| pairs.map(&:last).join("\n") }
        end
      end
    end
  end
end
