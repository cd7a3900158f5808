# frozen_string_literal: true

require_relative "../errors"

module Raffia
  class Server
    module HTTP
      # The stream that a Rack body which answers to `call` is given: it writes the response, and
      # reads the rest of the request.
      class BodyStream
        # @param stream [Stream]
        # @param input [Input, NullInput]
        # @api private
        def initialize(stream, input)
          @stream = stream
          @input = input
          @lock = ::Thread::Mutex.new
          @open = true
          @readable = true
        end

        # Like IO#read.
        # @return [String, nil]
        def read(length = nil, buffer = nil)
          raise IOError, "not opened for reading" unless @readable

          @input.read(length, buffer)
        end

        # @return [String, nil] at most `length` bytes that have come
        def read_partial(length, buffer = nil) = @input.read_partial(length, buffer)
        alias_method :readpartial, :read_partial

        # Like IO#sysread; the same as {read_partial}.
        # @return [String]
        # @raise [EOFError]
        def sysread(length, buffer = nil) = read_partial(length, buffer)

        # Like IO#read_nonblock. Waits in the middle of a chunk's head only.
        # @return [String, Symbol, nil] without exceptions :wait_readable, and nil at the end
        # @raise [IO::EAGAINWaitReadable, EOFError]
        def read_nonblock(length, buffer = nil, exception: true)
          raise IOError, "not opened for reading" unless @readable
          return read_partial(length, buffer) if wait_readable(0)

          exception ? raise(::IO::EAGAINWaitReadable, "read would block") : :wait_readable
        rescue EOFError
          raise if exception
        end

        # Waits for something to read, or the end.
        # @param timeout [Numeric, nil] seconds
        # @return [self, nil] nil: nothing came in time
        def wait_readable(timeout = nil)
          io = @stream.io
          return self if @input.ready? || (io.respond_to?(:pending) && io.pending.positive?)

          self if io.to_io.wait_readable(timeout)
        end

        # Waits until the kernel takes more for the client.
        # @param timeout [Numeric, nil] seconds
        # @return [self, nil]
        def wait_writable(timeout = nil) = (self if to_io.wait_writable(timeout))

        # Like IO#syswrite; the same as {write}.
        # @return [Integer] bytes
        def syswrite(string) = write(string)

        # For code that is written for sockets. Takes all of the string, so it waits for a slow
        # client.
        # @return [Integer] bytes
        def write_nonblock(string, **) = write(string)

        # Sends at once.
        # @return [Integer] bytes
        # @raise [Disconnected] an IOError: the client has gone, or takes nothing more
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

        # @return [self]
        def <<(string)
          write(string)
          self
        end

        # Does nothing: {write} has sent everything.
        # @return [self]
        def flush = self

        # @return [void]
        def close_read
          @readable = false
          nil
        end

        # Ends the response.
        # @return [void]
        def close_write
          @lock.synchronize do
            next unless @open

            @open = false
            @stream.finish
          end
          nil
        end

        # @return [void]
        def close
          close_read
          close_write
        end

        # Ends the use of the connection, however the response ended.
        # @api private
        def abandon = @open = @readable = false

        # @return [Boolean]
        def closed? = !@open

        # @return [IO] the socket, to see whether the client is there; HTTP's framing is not on it
        def to_io = @stream.io.to_io
      end
    end
  end
end
