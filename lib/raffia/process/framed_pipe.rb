# frozen_string_literal: true

module Raffia
  module Process
    # Whole messages over a byte pipe. A frame is its length in four bytes (big endian) and that
    # many bytes, written by one system call where the kernel takes it whole.
    #
    # @api private
    module FramedPipe
      LIMIT = 0xffff_ffff
      SIZE = 65_536
      # Linux's fcntl command for the capacity of a pipe; Ruby has no name for it.
      F_GETPIPE_SZ = 1032
      # POSIX promises every pipe to hold this.
      SMALLEST = 512

      def self.capacity(io)
        size = io.fcntl(F_GETPIPE_SZ)
        size.positive? ? size : SMALLEST
      rescue SystemCallError, NotImplementedError
        SMALLEST
      end

      # The writing end, for one thread at a time.
      class Writer
        # Bytes that can be written to the idle pipe without waiting for the reader.
        attr_reader :capacity

        def initialize(io)
          @io = io
          @io.binmode
          @io.sync = true
          @capacity = FramedPipe.capacity(io)
        end

        # False when the other side is gone.
        def write(payload)
          size = payload.bytesize
          if size > LIMIT
            raise ArgumentError, "a frame of #{size} bytes is too long, #{LIMIT} is the limit"
          end

          # Two strings in one call: writev joins them without a copy, and goes on by itself after a
          # short write.
          @io.write([size].pack("N"), payload)
          true
        rescue Errno::EPIPE, IOError
          false
        end

        # Whether a frame of this payload fits beside one small frame that was not read yet. Then
        # writing it cannot wait for a reader who may be waiting for us.
        def room_for?(payload) = payload.bytesize + 8 <= @capacity / 2

        def close = @io.close
      end

      # The reading end. It keeps its own buffer, not the IO's: bytes that arrived survive a close
      # by another thread.
      class Reader
        def initialize(io)
          @io = io
          @io.binmode
          @buffer = String.new(capacity: SIZE, encoding: Encoding::BINARY)
          @scratch = String.new(capacity: SIZE, encoding: Encoding::BINARY)
          @ended = false
        end

        # The payload of the next frame; nil when the other side is gone, and with it the rest of a
        # frame.
        def read
          until (frame = cut)
            @io.readpartial(SIZE, @scratch)
            @buffer << @scratch
          end
          frame
        rescue IOError # and its child EOFError
          @ended = true
          nil
        end

        # Whether within so many seconds there is something to read, or the other side is gone; nil
        # waits for ever.
        def ready?(seconds)
          @buffer.bytesize >= 4 && @buffer.bytesize >= @buffer.unpack1("N") + 4 ||
            !@io.wait_readable(seconds).nil?
        rescue IOError
          true # closed by us
        end

        # Whether nothing is left in the kernel of a writer that is dead: either the end was seen,
        # or nothing is there although some other process still holds the pipe open.
        def drained?
          @ended || !@io.wait_readable(0)
        rescue IOError
          true # closed by us
        end

        def close = @io.close

        private

        def cut
          have = @buffer.bytesize
          return if have < 4

          last = @buffer.unpack1("N") + 4
          return if have < last

          frame = @buffer.byteslice(4, last - 4)
          # Mostly the buffer held this one frame: then nothing is moved.
          (have == last) ? @buffer.clear : @buffer = @buffer.byteslice(last, have - last)
          frame
        end
      end
    end
  end
end
