# frozen_string_literal: true

require_relative "wait"

module Raffia
  module Integrations
    module IOEvent
      # Reads and writes of IO::Buffers. With a length of 0 it reads once without waiting; a write
      # still waits for room, because IO#syswrite would fail otherwise.
      #
      # The system call comes first, because it usually succeeds. Regular files have no readiness:
      # when the disk is needed, the ring transfers, or the thread waits.
      #
      # @api private
      module Transfer
        EAGAIN = -Errno::EAGAIN::Errno
        EINVAL = -Errno::EINVAL::Errno
        ECANCELED = -Errno::ECANCELED::Errno
        private_constant :EAGAIN, :EINVAL, :ECANCELED

        # Waits for at least +length+ bytes. Returns their number, 0 at the end of the file, or a
        # negative errno. +offset+ is a position in the buffer.
        def io_read(fiber, io, buffer, length, offset = 0)
          return empty_result(buffer, offset) unless offset < buffer.size

          count = @engine.try_read(io, buffer, offset)
          return count if count >= length

          continue(:read, fiber, io, buffer, nil, length, offset, count)
        end

        # Like {#io_read}.
        def io_write(fiber, io, buffer, length, offset = 0)
          return empty_result(buffer, offset) unless offset < buffer.size

          count = @engine.try_write(io, buffer, offset)
          return count if count >= length

          continue(:write, fiber, io, buffer, nil, length, offset, count)
        end

        # Like {#io_read}, from a position in the file.
        def io_pread(fiber, io, buffer, from, length, offset)
          return empty_result(buffer, offset) unless offset < buffer.size

          continue(:read, fiber, io, buffer, from, length, offset)
        end

        # Like {#io_write}, from a position in the file.
        def io_pwrite(fiber, io, buffer, from, length, offset)
          return empty_result(buffer, offset) unless offset < buffer.size

          continue(:write, fiber, io, buffer, from, length, offset)
        end

        private

        def empty_result(buffer, offset) = (offset == buffer.size) ? 0 : EINVAL

        # +count+ is the result of the first attempt, nil before one.
        def continue(direction, fiber, io, buffer, from, length, offset, count = nil)
          total = 0
          while true
            count ||= try(direction, io, buffer, from && from + total, offset + total)
            if count == EAGAIN && @engine.file?(io)
              count = transfer_file(direction, fiber, io, buffer, from && from + total,
                offset + total)
            end
            if count == EAGAIN && !(length.zero? && direction == :read)
              io_wait(fiber, io, (direction == :read) ? IO::READABLE : IO::WRITABLE)
            elsif count.negative?
              # Transferred bytes are reported first; a lasting error comes with the next call.
              return total.positive? ? total : count
            else
              total += count
              return total if count.zero? || total >= length || offset + total == buffer.size
            end
            count = nil
          end
        end

        def try(direction, io, buffer, from, offset)
          if direction == :read
            @engine.try_read(io, buffer, offset, from)
          else
            @engine.try_write(io, buffer, offset, from)
          end
        end

        def transfer_file(direction, fiber, io, buffer, from, offset)
          # The loop's fiber cannot wait for the loop.
          if @engine.transfers? && !@loop.equal?(Fiber.current)
            submit(direction, fiber, io, buffer, from, offset)
          else
            block(direction, io, buffer, from, offset)
          end
        end

        # Transfers by the ring. The kernel owns the buffer until the completion, so exceptions have
        # to wait for it.
        def submit(direction, fiber, io, buffer, from, offset)
          wait = Wait.new
          wait.fiber = fiber
          id = nil
          Engine.uninterruptible do
            # The block runs again only after an exception.
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
          wait.fiber = NullFiber
        end

        def block(direction, io, buffer, from, offset)
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
