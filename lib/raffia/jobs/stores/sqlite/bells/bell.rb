# frozen_string_literal: true

require "socket"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        class Bells
          # A socket that is told when there may be jobs.
          # @api private
          class Bell
            # What the names of those that cannot be rung yet begin with.
            UNREADY = "."

            # @param path [String, nil] of the socket; nil: only this process can ring it
            # @param mode [Integer] who may ring it: who may write to a file of this mode
            def initialize(path, mode = Place::PRIVATE)
              @path = path
              path ? bind(path, mode) : pair
            end

            # Rings a bell of any process. One that has enough in it has been heard of already.
            def self.ring(path)
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

            # A wait begins.
            def begin(interrupted)
              @interrupted = interrupted
            end

            # @return [Boolean]
            def interrupted? = @interrupted

            # @param timeout [Numeric, nil] seconds
            # @return [void] when it was rung, or the time is over
            def wait(timeout)
              @socket.wait_readable(timeout)
              nil while @socket.recv_nonblock(64, exception: false).is_a?(String)
            end

            # From any thread.
            def interrupt
              @interrupted = true
              @ringer ? @ringer.write_nonblock("!", exception: false) : self.class.ring(@path)
            rescue SystemCallError
              nil
            end

            def close
              discard
              File.unlink(@path) if @path
            rescue SystemCallError
              nil
            end

            # In a child.
            def discard
              [@socket, @ringer].compact.each(&:close)
            end

            private

            # While it is being bound its file is there already, and who rings then would take it
            # for a dead one's: so it gets its name afterwards.
            def bind(path, mode)
              unready = File.join(File.dirname(path), "#{UNREADY}#{File.basename(path)}")
              @socket = Socket.new(:UNIX, :DGRAM)
              @socket.bind(Socket.sockaddr_un(unready))
              File.chmod(mode, unready)
              File.rename(unready, path)
            end

            def pair
              @socket, @ringer = Socket.pair(:UNIX, :DGRAM)
            end
          end
        end
      end
    end
  end
end
