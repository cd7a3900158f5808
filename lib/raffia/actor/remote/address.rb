# frozen_string_literal: true

require "socket"

module Raffia
  class Actor
    module Remote
      # A Unix socket of actors, as users write it: "unix:///path/actors.sock".
      #
      # Marshal loads what comes through such a socket, which is as much as running the sender's
      # code. So both sides talk to processes of their own user only, and check the user of the
      # other side.
      class Address
        MODE = 0o600
        SCHEME = "unix://"
        private_constant :SCHEME

        attr_reader :path

        def self.of(text)
          if RUBY_ENGINE == "jruby"
            raise ConfigError, "actors of other processes are asked through Unix sockets as " \
              "CRuby has them: not on #{RUBY_ENGINE}"
          end

          new(text)
        end

        def initialize(text)
          @path = text.delete_prefix(SCHEME) if text.is_a?(String) && text.start_with?("#{SCHEME}/")
          unless @path
            raise ConfigError, "actors cannot be reached at #{text.inspect}: give " \
              "\"unix:///path/of/a/socket\""
          end
        end

        def to_s = "#{SCHEME}#{@path}"

        def listen
          alone do
            clear
            server = ::UNIXServer.new(@path)
            ::File.chmod(MODE, @path)
            server
          rescue SystemCallError
            server&.close
            raise
          end
        end

        def connect
          socket = ::UNIXSocket.new(@path)
          return socket if Address.own?(socket)

          raise Rejected, "the process that listens at #{self} belongs to another user: what it " \
            "sends could run any code here"
        rescue SystemCallError, Rejected
          socket&.close
          raise
        end

        def self.own?(socket) = socket.getpeereid.first == ::Process.euid

        private

        # When two processes find a file without a listener, only one may make another. No other
        # fiber of this thread may run meanwhile: it could wait here for the one that it holds up.
        def alone
          return yield unless RUBY_ENGINE == "ruby" # others do not open folders

          ::Fiber.blocking do
            ::File.open(::File.dirname(@path)) do |folder|
              folder.flock(::File::LOCK_EX)
              yield
            ensure
              # A child that was forked meanwhile has the file open, too.
              folder.flock(::File::LOCK_UN)
            end
          end
        end

        # A process that has ended may have left its file.
        def clear
          return unless ::File.socket?(@path)

          connect.close
          raise Rejected, "somebody listens at #{self} already: choose another path, or stop " \
            "that one first"
        rescue Errno::ECONNREFUSED
          ::File.unlink(@path)
        rescue Errno::ENOENT
          nil
        end
      end
    end
  end
end
