# frozen_string_literal: true

require "socket"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # A datagram socket that wakes one wait.
        # @api private
        class WakeSocket
          # First character of sockets that are not bound yet.
          UNREADY = "."

          # Without a path, only this process can notify it.
          def initialize(path, mode = 0o600)
            @path = path
            path ? bind(path, mode) : pair
          end

          # A full socket has been notified already.
          def self.notify(path)
            socket = Socket.new(:UNIX, :DGRAM)
            socket.connect_nonblock(Socket.sockaddr_un(path))
            socket.write_nonblock("!", exception: false)
          rescue Errno::ECONNREFUSED
            File.unlink(path) if File.exist?(path) # its process was killed
          rescue SystemCallError, ArgumentError
            nil
          ensure
            socket&.close
          end

          def begin(interrupted)
            @interrupted = interrupted
          end

          def interrupted? = @interrupted

          def wait(timeout)
            @socket.wait_readable(timeout)
            nil while @socket.recv_nonblock(64, exception: false).is_a?(String)
          end

          # Ends the wait, from any thread.
          def interrupt
            @interrupted = true
            @writer ? @writer.write_nonblock("!", exception: false) : self.class.notify(@path)
          rescue SystemCallError
            nil
          end

          def close
            discard
            File.unlink(@path) if @path
          rescue SystemCallError
            nil
          end

          # Closes the parent's socket, in a child.
          def discard = [@socket, @writer].compact.each(&:close)

          private

          # A notification would take a file that is not bound for a dead socket, so it is renamed
          # afterwards.
          def bind(path, mode)
            unready = File.join(File.dirname(path), "#{UNREADY}#{File.basename(path)}")
            @socket = Socket.new(:UNIX, :DGRAM)
            @socket.bind(Socket.sockaddr_un(unready))
            File.chmod(mode, unready)
            File.rename(unready, path)
          end

          def pair
            @socket, @writer = Socket.pair(:UNIX, :DGRAM)
          end
        end
      end
    end
  end
end
