# frozen_string_literal: true

require_relative "../error"
require_relative "../http/stream"
require_relative "tunnel"

module Raffia
  class Server
    # HTTP/2 on a connection.
    #
    # @api private
    module HTTP2
      # One request and its response on an HTTP/2 connection, in C. Implements {HTTP::Stream}.
      #
      # @api private
      class Stream < Native::HTTP2Stream
        # Bytes per read of a file.
        CHUNK = 64 * 1024
        private_constant :CHUNK

        # The socket of HTTP/2 has other requests, too.
        def self.template(entries) = super({**entries, "rack.hijack?" => false})

        # The connection goes on after a response of any kind.
        def closing=(_closing)
        end

        def io = session.io

        def send_file(file, from, length)
          position = from
          finish = from + length
          while position < finish
            piece = file.pread([finish - position, CHUNK].min, position)
            write(piece)
            position += piece.bytesize
          end
        rescue EOFError
          raise BadResponse, "the file has become shorter while it was being sent"
        end

        def multiplexed? = true

        def connection = session

        # Extended CONNECT has no switch of protocols: the response is 200.
        def begin_raw(_status, headers, protocol = nil)
          unless connects?
            raise BadResponse, "the response switches to #{protocol || "another protocol"}, but " \
              "the request did not ask for a switch"
          end

          super(200, headers)
          @tunnel = Tunnel.new(self)
        end

        def hijack
          @tunnel or raise IOError, "the socket of HTTP/2 has other requests, so it cannot be taken"
        end
      end
    end
  end
end
