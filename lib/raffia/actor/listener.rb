# frozen_string_literal: true

module Raffia
  class Actor
    # Unix socket at which other processes of the same user call this process's named actors. See
    # {Actor.listen}.
    class Listener
      # @return [String] "unix:///path"
      attr_reader :address

      # @param address [Remote::Address]
      # @api private
      def initialize(address)
        @address = address.to_s
        @lock = SpinLock.new
        @connections = {}.compare_by_identity
        @acceptor = Remote::Acceptor.new(address)
        Remote::BackgroundThreads.run { @acceptor.run { |socket| serve(socket) } }
      end

      # Closes all connections, and removes the socket's file. Calls underway get no answer.
      def close
        @acceptor.close
        @lock.hold { @connections.keys }.each(&:close)
      end

      # @return [Boolean]
      def closed? = @acceptor.closed?

      # @return [String]
      def inspect = "#<#{self.class} #{@address}#{" closed" if closed?}>"

      private

      def serve(socket)
        return socket.close unless own?(socket)

        connection = Remote::Connection.over(socket, Remote::ListenerDispatcher.new)
        @lock.hold { @connections[connection] = true }
        Remote::BackgroundThreads.run do
          connection.serve
        ensure
          @lock.hold { @connections.delete(connection) }
          connection.close
        end
      end

      def own?(socket)
        Remote::Address.own?(socket)
      rescue Errno::ENOTCONN
        false # it has gone already
      end
    end
  end
end
