# frozen_string_literal: true

require "fcntl"

module Raffia
  module Engine
    class Select
      # Reads, writes and polls without the loop.
      module DirectIO
        EAGAIN = -Errno::EAGAIN::Errno
        # Bytes that a ready pipe takes without waiting (POSIX: PIPE_BUF is at least 512, on Linux
        # 4096).
        READY_WRITE = 512
        private_constant :EAGAIN, :READY_WRITE

        # @param io [IO, Integer]
        # @param events [Integer]
        # @return [Integer] those of the events that are there now, or a negative errno
        # @raise [IOError] when the IO is closed
        def ready(io, events)
          Interest.poll(Interest.io(io), events)
        rescue SystemCallError => error
          -error.errno
        end

        # Reads what is there, without waiting. It has one gap, which the compiled engines do not
        # have: from a descriptor that is not O_NONBLOCK another thread or process may take the
        # bytes between the poll and the read, which then waits.
        #
        # @param buffer [IO::Buffer]
        # @param offset [Integer] where in the buffer
        # @param from [Integer, nil] where in the file; nil: at its position
        # @return [Integer] bytes, 0 at the end, or a negative errno: -EAGAIN when it would have to
        #   wait
        def try_read(io, buffer, offset, from = nil)
          return EAGAIN unless nonblock?(io) || ready(io, IO::READABLE).positive?

          Fiber.blocking do
            from ? buffer.pread(io, from, 0, offset) : buffer.read(io, 0, offset)
          end
        end

        # Writes what can be written without waiting.
        # @return [Integer] as {#try_read}
        def try_write(io, buffer, offset, from = nil)
          unless nonblock?(io)
            return EAGAIN unless ready(io, IO::WRITABLE).positive?

            buffer = buffer.slice(0, [buffer.size, offset + READY_WRITE].min) unless file?(io)
          end
          Fiber.blocking do
            from ? buffer.pwrite(io, from, 0, offset) : buffer.write(io, 0, offset)
          end
        end

        # @return [Boolean] whether readiness means nothing for it: a regular file, a directory
        def file?(io)
          stat = io.stat
          stat.file? || stat.directory? || stat.blockdev?
        end

        # Takes an IO, and where in the file a read ended (nil: at its position).
        # @return [Boolean] whether {#try_read} was short although there is more of the file, which
        #   is not in memory
        def cut_short?(_io, _from) = false

        # @return [Integer, nil] a descriptor that becomes readable when the process ends; nil where
        #   there is no such thing
        def pidfd(_pid) = nil

        private

        # IO#nonblock? does not work in Ractors before Ruby 3.4.
        def nonblock?(io) = io.fcntl(Fcntl::F_GETFL).anybits?(File::NONBLOCK)
      end
    end
  end
end
