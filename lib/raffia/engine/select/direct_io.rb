# frozen_string_literal: true

require "fcntl"

module Raffia
  module Engine
    class Select
      # Reads, writes and polls without the loop. Results are counts, or negative errnos.
      #
      # @api private
      module DirectIO
        EAGAIN = -Errno::EAGAIN::Errno
        # Bytes that a ready pipe takes without waiting (POSIX: PIPE_BUF is at least 512, on Linux
        # 4096).
        READY_WRITE = 512
        private_constant :EAGAIN, :READY_WRITE

        # Those of the events that are there now. Raises IOError when the IO is closed.
        def ready(io, events)
          Interest.poll(Interest.io(io), events)
        rescue SystemCallError => error
          -error.errno
        end

        # Reads what is there; 0 at the end of the file, -EAGAIN when it would have to wait. +from+
        # is a place in the file; nil: its position.
        #
        # The compiled engines do not have this gap: from a descriptor that is not O_NONBLOCK
        # another thread or process may take the bytes between the poll and the read, which then
        # waits.
        def try_read(io, buffer, offset, from = nil)
          return EAGAIN unless nonblock?(io) || ready(io, IO::READABLE).positive?

          Fiber.blocking do
            from ? buffer.pread(io, from, 0, offset) : buffer.read(io, 0, offset)
          end
        end

        # Writes what can be written without waiting, like {#try_read}.
        def try_write(io, buffer, offset, from = nil)
          unless nonblock?(io)
            return EAGAIN unless ready(io, IO::WRITABLE).positive?

            buffer = buffer.slice(0, [buffer.size, offset + READY_WRITE].min) unless file?(io)
          end
          Fiber.blocking do
            from ? buffer.pwrite(io, from, 0, offset) : buffer.write(io, 0, offset)
          end
        end

        # Whether readiness means nothing for it: a regular file, a directory.
        def file?(io)
          stat = io.stat
          stat.file? || stat.directory? || stat.blockdev?
        end

        # Whether {#try_read} was short although the file has more, which is not in memory. Takes
        # where in the file the read ended (nil: at its position).
        def cut_short?(_io, _from) = false

        # A descriptor that becomes readable when the process ends; nil where there is no such
        # thing.
        def pidfd(_pid) = nil

        private

        # IO#nonblock? does not work in Ractors before Ruby 3.4.
        def nonblock?(io) = io.fcntl(Fcntl::F_GETFL).anybits?(File::NONBLOCK)
      end
    end
  end
end
