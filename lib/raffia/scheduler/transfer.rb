# frozen_string_literal: true

require_relative "passage"

module Raffia
  class Scheduler
    # Reading and writing through IO::Buffer, where it is not as simple as {Native} has it: files,
    # and positions in them. Core calls the hooks with a length of 0; IO::Buffer's own methods hand
    # in the least number of bytes.
    #
    # A length of 0 means to read once without waiting: IO#read_nonblock comes here too.
    # IO#write_nonblock does not, so a write waits for room: IO#syswrite would fail without, and
    # IO#write ask once more. So would IO#sysread, which waits too.
    #
    # The system call comes first, because most often the answer is known. Regular files have no
    # readiness to wait for: where the disk must be asked, the engine does it: by the ring, or a
    # thread of its blocking pool. The engine in Ruby has neither, and leaves it to the offload
    # pool.
    #
    # @api private
    module Transfer
      EAGAIN = -Errno::EAGAIN::Errno
      private_constant :EAGAIN

      # Hook of IO#pread.
      #
      # @param from [Integer] position in the file
      # @return [Integer] as {#io_read}
      def io_pread(io, buffer, from, length, offset)
        transfer(:read, io, buffer, from, length, offset)
      end

      # Before Ruby 4.0, IO#pwrite calls this hook without holding the VM's lock
      # (internal_pwrite_func in io.c): code in Ruby would run beside other threads and corrupt
      # them. Without the hook, core makes the system call itself.
      if RUBY_VERSION >= "4.0"
        # Hook of IO#pwrite.
        # @return [Integer] as {#io_read}
        def io_pwrite(io, buffer, from, length, offset)
          transfer(:write, io, buffer, from, length, offset)
        end
      end

      private

      # @param total [Integer] bytes that have been transferred already
      def transfer(direction, io, buffer, from, length, offset, total = 0)
        while offset + total < buffer.size
          count = try(direction, io, buffer, offset + total, from && from + total)
          # What has arrived is told first; the error, if it lasts, comes with the next call.
          if count.negative? && (count != EAGAIN || (length.zero? && direction == :read))
            return total.positive? ? total : count
          end

          count.negative? ? await(direction, io, total) || (return total) : total += count
          if count.zero? ||
              (total >= length &&
                (direction == :write || whole?(io, buffer, offset + total, from && from + total)))
            break
          end
        end
        total
      end

      def try(direction, io, buffer, offset, from)
        count = if direction == :read
          engine.try_read(io, buffer, offset, from)
        else
          engine.try_write(io, buffer, offset, from)
        end
        return count unless count == EAGAIN && engine.file?(io)

        if engine.transfers?
          pass(direction, io, buffer, offset, from)
        else
          offload_transfer(direction, io, buffer, offset, from)
        end
      end

      # A file gives without waiting what is in memory of it, but callers expect that only its end
      # makes a read short.
      def whole?(io, buffer, offset, from) = offset == buffer.size || !engine.cut_short?(io, from)

      # @return [Boolean] false when the IO's own timeout passed after something had been
      #   transferred
      def await(direction, io, total)
        return true if io_wait(io, (direction == :read) ? IO::READABLE : IO::WRITABLE, nil)

        raise_no_progress(io) if total.zero?
        false
      end

      def raise_no_progress(io)
        raise(IO::TimeoutError, "no progress within the #{io.timeout} s of IO#timeout")
      end

      # By the engine, to whom the buffer belongs until it says that it is done, come what may; then
      # an interrupt goes on.
      def pass(direction, io, buffer, offset, from)
        passage = Passage.new(io)
        Engine.uninterruptible do
          # A second time round only after an interrupt.
          if passage.id
            engine.disarm(passage.id)
          else
            passage.id = engine.public_send(direction, io, buffer, offset, from, passage)
          end
          await_passage(passage)
        end
        passage.result
      end

      def await_passage(passage)
        return true if passage.result || closed?

        # Guarded from the second time on: one interrupt is enough.
        park(!passage.wait.nil?, passage.io) do |wait|
          passage.wait = wait
          passage.result
        end
        true
      end

      def offload_transfer(direction, io, buffer, offset, from)
        offloaded_to_the_end do
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
