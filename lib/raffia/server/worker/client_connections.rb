# frozen_string_literal: true

require_relative "../admission/client_address"
require_relative "../admission/client_counts"

module Raffia
  class Server
    class Worker
      # Counts the open connections of each client to all workers, and refuses more than a limit.
      #
      # @api private
      class ClientConnections
        RESPONSE = "HTTP/1.1 429 Too Many Requests\r\ncontent-type: text/plain\r\n" \
          "content-length: 18\r\nretry-after: 1\r\nconnection: close\r\n\r\nToo Many Requests\n"
        # Bytes of a request that has come already: unread ones would make the close a reset, and
        # the client may not see the response then.
        UNREAD = 16 * 1024
        private_constant :RESPONSE, :UNREAD

        # Nil when nothing is limited. `counts`: those that the workers share; nil: its own.
        def self.build(options, counts)
          return unless options.client_connections

          new(options, counts || Admission::ClientCounts.new(Admission::ClientCounts.memory(0), 0))
        end

        def initialize(options, counts)
          @limit = options.client_connections
          @address = Admission::ClientAddress.new(options.trusted_proxies, options.client_header)
          @counts = counts
        end

        # Returns the client, for {leave}; nil for a trusted proxy; false when it has too many.
        def enter(address)
          client = @address.of_peer(address) or return
          return client if @counts.add(client) <= @limit

          @counts.remove(client)
          false
        end

        # Counts a connection that another worker has let in. Returns the client, or nil.
        def continue(address) = @address.of_peer(address)&.tap { |client| @counts.add(client) }

        def leave(client) = client && @counts.remove(client)

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
