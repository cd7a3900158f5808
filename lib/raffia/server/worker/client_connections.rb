# frozen_string_literal: true

require_relative "../admission/client_address"

module Raffia
  class Server
    class Worker
      # Counts the open connections of each client to this worker, and refuses more than a limit. A
      # count of all workers would keep the connections of those that were killed.
      #
      # @api private
      class ClientConnections
        RESPONSE = "HTTP/1.1 429 Too Many Requests\r\ncontent-type: text/plain\r\n" \
          "content-length: 18\r\nretry-after: 1\r\nconnection: close\r\n\r\nToo Many Requests\n"
        # Bytes of a request that has come already: unread ones would make the close a reset, and
        # the client may not see the response then.
        UNREAD = 16 * 1024
        private_constant :RESPONSE, :UNREAD

        # Nil when nothing is limited.
        def self.build(options) = (new(options) if options.client_connections)

        def initialize(options)
          @limit = options.client_connections
          @address = Admission::ClientAddress.new(options.trusted_proxies, options.client_header)
          @open = Hash.new(0)
        end

        # Returns the client, for {leave}; nil for a trusted proxy; false when it has too many.
        def enter(address)
          client = @address.of_peer(address) or return
          return false if @open[client] >= @limit

          @open[client] += 1
          client
        end

        def leave(client)
          return unless client

          @open.delete(client) if (@open[client] -= 1) <= 0
        end

        # Without TLS the client learns why.
        def refuse(socket, tls)
          unless tls
            socket.read_nonblock(UNREAD, exception: false)
            socket.write_nonblock(RESPONSE, exception: false)
          end
          socket.close
        rescue SystemCallError, IOError
          nil
        end
      end
    end
  end
end
