# frozen_string_literal: true

require_relative "../error"

module Raffia
  class Server
    module HTTP
      # Stream for a Rack body that answers to `call`: writes the response, reads the request's
      # rest.
      class BodyStream
        # @api private
        def initialize(stream, input)
          @stream = stream
          @input = input
          @lock = ::Thread::Mutex.new
          @open = true
          @readable = true
        end

        # Like IO#read.
        def read(length = nil, buffer = nil)
          raise IOError, "not opened for reading" unless @readable

          @input.read(length, buffer)
        end

        # Returns at most `length` bytes that have come.
        def read_partial(length, buffer = nil) = @input.read_partial(length, buffer)
        alias_method :readpartial, :read_partial

        # Like IO#sysread.
        def sysread(length, buffer = nil) = read_partial(length, buffer)

        # Like IO#read_nonblock. Waits only in the middle of a chunk's head.
        def read_nonblock(length, buffer = nil, exception: true)
          raise IOError, "not opened for reading" unless @readable
          return read_partial(length, buffer) if wait_readable(0)

          exception ? raise(::IO::EAGAINWaitReadable, "read would block") : :wait_readable
        rescue EOFError
          raise if exception
        end

        # Waits for bytes or the end.
        # @return [self, nil] nil: nothing came within `timeout` seconds
        def wait_readable(timeout = nil)
          self if @input.ready? || @stream.wait_readable(timeout)
        end

        # Waits until the kernel takes more bytes.
        # @return [self, nil] nil: not within `timeout` seconds
        def wait_writable(timeout = nil) = (self if @stream.wait_writable(timeout))

        # Like IO#syswrite.
        def syswrite(string) = write(string)

        # Writes all of the string, for code written for sockets. So it waits for a slow client.
        def write_nonblock(string, **) = write(string)

        # Sends at once.
        # @return [Integer] bytes
        # @raise [Disconnected] an IOError: the client has gone, or takes nothing
        # @raise [IOError] after {close}
        def write(*strings)
          strings.sum do |string|
            string = string.to_s
            @lock.synchronize do
              raise IOError, "closed stream" unless @open

              @stream.write(string)
            end
          end
        end

        # @return [self] after {write}
        def <<(string)
          write(string)
          self
        end

        # Does nothing: {write} has sent everything.
        def flush = self

        # Ends reading.
        def close_read
          @readable = false
          nil
        end

        # Ends the response.
        def close_write
          @lock.synchronize do
            next unless @open

            @open = false
            @stream.finish
          ensure
            @closed&.push(true)
          end
          nil
        end

        # Ends both.
        def close
          close_read
          close_write
        end

        # Waits for {close_write}.
        # @api private
        def await_close
          @closed = ::Thread::Queue.new
          @closed.pop if @open
        end

        # Ends the use of the connection, whatever became of the response.
        # @api private
        def abandon = @open = @readable = false

        # @return [Boolean] whether the response has ended
        def closed? = !@open

        # @return [IO] the socket, to wait for the client; its bytes have HTTP's framing
        def to_io = @stream.io.to_io
      end
    end
  end
end
