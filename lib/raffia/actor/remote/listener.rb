# frozen_string_literal: true

module Raffia
  class Actor
    # A Unix socket at which the actors of this process that have names can be asked by other
    # processes of the same user. See {Actor.listen}.
    class Listener
      # @return [String] where: "unix:///path"
      attr_reader :address

      # @param address [Remote::Address]
      # @api private
      def initialize(address)
        @address = address.to_s
        @guard = SpinLock.new
        @lines = {}.compare_by_identity
        @acceptor = Remote::Acceptor.new(address)
        Remote::Processes::Beside.call { @acceptor.run { |socket| serve(socket) } }
      end

      # Takes no more questions, and removes the socket's file. What is being answered gets no
      # answer.
      # @return [void]
      def close
        @acceptor.close
        @guard.hold { @lines.keys }.each(&:close)
      end

      # @return [Boolean]
      def closed? = @acceptor.closed?

      # @return [String]
      def inspect = "#<#{self.class} #{@address}#{" closed" if closed?}>"

      private

      def serve(socket)
        return socket.close unless own?(socket)

        line = Remote::Sockets.line(socket, Remote::PublicDesk.new)
        @guard.hold { @lines[line] = true }
        Remote::Processes::Beside.call do
          line.serve
        ensure
          @guard.hold { @lines.delete(line) }
          line.close
        end
      end

      def own?(socket)
        Remote::Address.own?(socket)
      rescue Errno::ENOTCONN
        false # it has gone already
      end
    end

    class << self
      # Lets other processes of the same user ask the actors of this one that have names. They can
      # call public methods of these, and of the actors that they are handed refs of, wait for their
      # end and be told of it; they cannot stop them.
      #
      # What comes through the socket is loaded by Marshal: whoever may connect might as well run
      # code here. So the file is for its owner only, and a process of another user is turned away.
      # @param address [String] "unix:///path/of/the/socket"; a file that nobody listens at any more
      #   is replaced
      # @return [Listener] to be closed
      # @raise [ConfigError]
      # @raise [Rejected] when another process listens there
      # @raise [SystemCallError] when the file cannot be made
      def listen(address) = Listener.new(Remote::Address.of(address))

      # An actor of another process, which listens. It is looked for when it is first asked for
      # something, and again when it has ended: so it may begin later than this, and begin anew.
      # @param address [String] "unix:///path/of/the/socket"
      # @param name [Symbol, String] its name there
      # @return [Ref] whose calls raise {ActorDied} when nobody listens, or the other process ends;
      #   the next call connects again
      # @raise [ConfigError]
      def at(address, name) = Remote::Named.new(Remote::Address.of(address), name).ref
    end
  end
end
