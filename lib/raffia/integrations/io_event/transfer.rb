# frozen_string_literal: true

require_relative "wait"

module Raffia
  module Integrations
    module IOEvent
      # Reading and writing through IO::Buffer. A length of 0 means to read once without waiting; a
      # write waits for room then, as IO#syswrite would fail otherwise.
      #
      # The system call comes first, because most often the answer is known. Regular files have no
      # readiness to wait for: where the disk must be asked, the ring does it, or the thread waits.
      #
      # @api private
      module Transfer
        EAGAIN = -Errno::EAGAIN::Errno
        EINVAL = -Errno::EINVAL::Errno
        ECANCELED = -Errno::ECANCELED::Errno
        private_constant :EAGAIN, :EINVAL, :ECANCELED

        # +fiber+: the running one.
        # +length+: the least number of bytes to wait for.
        # +offset+: where in the buffer.
        # The number of bytes, 0 at the end of the file, or a negative errno.
        def io_read(fiber, io, buffer, length, offset = 0)
          return nothing(buffer, offset) unless offset < buffer.size

          count = @engine.try_read(io, buffer, offset)
          (count >= length) ? count : carry(:read, fiber, io, buffer, nil, length, offset, count)
        end

        # As {#io_read}.
        def io_write(fiber, io, buffer, length, offset = 0)
          return nothing(buffer, offset) unless offset < buffer.size

          count = @engine.try_write(io, buffer, offset)
          (count >= length) ? count : carry(:write, fiber, io, buffer, nil, length, offset, count)
        end

        # +from+: position in the file.
        # As {#io_read}.
        def io_pread(fiber, io, buffer, from, length, offset)
          return nothing(buffer, offset) unless offset < buffer.size

          carry(:read, fiber, io, buffer, from, length, offset,
            @engine.try_read(io, buffer, offset, from))
        end

        # As {#io_read}.
        def io_pwrite(fiber, io, buffer, from, length, offset)
          return nothing(buffer, offset) unless offset < buffer.size

          carry(:write, fiber, io, buffer, from, length, offset,
            @engine.try_write(io, buffer, offset, from))
        end

        private

        def nothing(buffer, offset) = (offset == buffer.size) ? 0 : EINVAL

        # +count+: what came of the first try.
        def carry(direction, fiber, io, buffer, from, length, offset, count)
          total = 0
          while true
            if count == EAGAIN && @engine.file?(io)
              count = ask_disk(direction, fiber, io, buffer, from && from + total, offset + total)
            end
            if count == EAGAIN && !(length.zero? && direction == :read)
              io_wait(fiber, io, (direction == :read) ? IO::READABLE : IO::WRITABLE)
            elsif count.negative?
              # What has arrived is told first; the error, if it lasts, comes with the next call.
              return total.positive? ? total : count
            else
              total += count
              return total if count.zero? || total >= length || offset + total == buffer.size
            end
            count = try(direction, io, buffer, from && from + total, offset + total)
          end
        end

        def try(direction, io, buffer, from, offset)
          if direction == :read
            @engine.try_read(io, buffer, offset, from)
          else
            @engine.try_write(io, buffer, offset, from)
          end
        end

        def ask_disk(direction, fiber, io, buffer, from, offset)
          # The loop's fiber cannot wait for the loop.
          by_ring = @engine.transfers? && !@loop.equal?(Fiber.current)
          if by_ring
            pass(direction, fiber, io, buffer, from, offset)
          else
            block_and(direction, io, buffer, from, offset)
          end
        end

        # By the ring. The kernel owns the buffer until it says so, come what may; then an exception
        # goes on.
        def pass(direction, fiber, io, buffer, from, offset)
          wait = Wait.new
          wait.fiber = fiber
          id = nil
          Engine.uninterruptible do
            # A second time round only after an exception.
            if id
              @engine.disarm(id)
            else
              id = @engine.public_send(direction, io, buffer, offset, from, wait)
            end
            transfer until wait.result || closed?
            true
          end
          wait.result || ECANCELED
        ensure
          wait.fiber = NOBODY
        end

        def block_and(direction, io, buffer, from, offset)
          Fiber.blocking do
            if direction == :read
              from ? buffer.pread(io, from, 0, offset) : buffer.read(io, 0, offset)
            else
              from ? buffer.pwrite(io, from, 0, offset) : buffer.write(io, 0, offset)
            end
          end
        end
      end
    end
  end
end
