# frozen_string_literal: true

require "socket"

module Raffia
  class Actor
    module Remote
      # A Unix socket at which actors can be asked, as users write it: "unix:///path/actors.sock".
      #
      # What comes through such a socket is loaded by Marshal, which is as much as running the sender's code. So both sides talk to processes
      # of their own user only, and look who that is.
      #
      # @api private
      class Address
        # Only the user's own processes may connect.
        MODE = 0o600
        SCHEME = "unix://"
        private_constant :SCHEME

        # @return [String]
        attr_reader :path

        # @param text [String]
        # @raise [ConfigError]
        def initialize(text)
          @path = text.delete_prefix(SCHEME) if text.is_a?(String) && text.start_with?("#{SCHEME}/")
          raise ConfigError, "actors cannot be reached at #{text.inspect}: give \"unix:///path/of/a/socket\"" unless @path
        end

        # @return [String]
        def to_s = "#{SCHEME}#{@path}"

        # @return [Socket] which listens
        # @raise [Rejected] when another process does
        # @raise [SystemCallError]
        def listen
          clear
          socket = ::Socket.new(:UNIX, :STREAM)
          socket.bind(::Socket.pack_sockaddr_un(@path))
          ::File.chmod(MODE, @path)
          socket.tap { socket.listen(::Socket::SOMAXCONN) }
        rescue SystemCallError
          socket&.close
          raise
        end

        # @return [Socket]
        # @raise [SystemCallError]
        # @raise [Rejected]
        def connect
          socket = ::Socket.new(:UNIX, :STREAM)
          socket.connect(::Socket.pack_sockaddr_un(@path))
          return socket if Address.own?(socket)

          raise Rejected, "who listens at #{self} is of another user: what he sends could run any code here"
        rescue SystemCallError, Rejected
          socket&.close
          raise
        end

        # @return [Boolean] whether the process at the other end is of our user
        def self.own?(socket) = socket.getpeereid.first == ::Process.euid

        private

        # One that has ended may have left its file.
        def clear
          return unless ::File.socket?(@path)

          connect.close
          raise Rejected, "somebody listens at #{self} already: choose another path, or stop that one first"
        rescue Errno::ECONNREFUSED
          ::File.unlink(@path)
        rescue Errno::ENOENT
          nil
        end
      end
    end
  end
end
