# frozen_string_literal: true

require_relative "server"

module EngineBench
  # HTTP/1.1 with keep-alive and a limit of 30 s for each wait, the way Net::HTTP, OpenSSL, pg and
  # redis-client do it: a non-blocking attempt, and io_wait with a timeout when there is nothing
  # yet. The hot hook of real programs.
  class Http < Server
    PROTOCOL = "http"
    SIZE = 16_384
    LIMIT = 30
    ANSWER = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, " \
      "world\n"

    private

    def serve(socket)
      reader = Reader.new(socket)
      while (line = reader.gets)
        nil until reader.gets == "\r\n"
        raise Bench::Wrong, line unless line == "GET /hello HTTP/1.1\r\n"

        write(socket, ANSWER)
      end
    end

    def write(socket, bytes)
      until bytes.empty?
        case written = socket.write_nonblock(bytes, exception: false)
        when :wait_writable then socket.wait_writable(LIMIT) or raise IO::TimeoutError
        else bytes = bytes.byteslice(written..)
        end
      end
    end

    # Lines from a socket.
    class Reader
      def initialize(socket)
        @socket = socket
        @buffer = String.new(capacity: SIZE)
        @chunk = String.new(capacity: SIZE)
      end

      # @return [String, nil] nil at the end
      def gets
        until (stop = @buffer.index("\n"))
          return unless fill
        end
        @buffer.slice!(0..stop)
      end

      private

      def fill
        while true
          case @socket.read_nonblock(SIZE, @chunk, exception: false)
          when :wait_readable then @socket.wait_readable(LIMIT) or raise IO::TimeoutError
          when nil then return
          else return @buffer << @chunk
          end
        end
      end
    end
  end
end
