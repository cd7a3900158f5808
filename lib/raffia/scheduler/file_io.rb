# frozen_string_literal: true

module Raffia
  class Scheduler
    # Reads and writes through IO::Buffer beyond those of {Native}: files, and positions in them.
    # ext/raffia/bind/read_write.c says when a read or write waits.
    #
    # Regular files have no readiness to wait for. Where the disk must be read, the engine does it
    # by its ring or a thread of its blocking pool; the engine in Ruby uses the offload pool.
    #
    # @api private
    module FileIO
      EAGAIN = -Errno::EAGAIN::Errno
      private_constant :EAGAIN

      # A read or write of the engine. Its completion ends it, perhaps after several waits of the
      # fiber. Until there is a result (bytes or a negative errno), the buffer is in use.
      IOTransfer = Struct.new(:io, :id, :wait, :result) do
        # Returns the wait that it ends.
        def complete(result)
          self.result = result
          wait
        end
      end
      private_constant :IOTransfer

      # Hook of IO#pread. +from+ is the position in the file.
      def io_pread(io, buffer, from, length, offset)
        transfer(:read, io, buffer, from, length, offset)
      end

      # Before Ruby 4.0, IO#pwrite calls this hook without the GVL (internal_pwrite_func in io.c):
      # Ruby code would run beside other threads and corrupt them. Without the hook, core makes the
      # system call itself.
      if RUBY_VERSION >= "4.0"
        def io_pwrite(io, buffer, from, length, offset)
          transfer(:write, io, buffer, from, length, offset)
        end
      end

      # False when IO#timeout passed after something had been transferred.
      def await_readiness(direction, io, total)
        return true if io_wait(io, (direction == :read) ? IO::READABLE : IO::WRITABLE, nil)

        raise_no_progress(io) if total.zero?
        false
      end

      private

      # +total+: the bytes that have been transferred already.
      def transfer(direction, io, buffer, from, length, offset, total = 0)
        while offset + total < buffer.size
          count = try(direction, io, buffer, offset + total, from && from + total)
          # The bytes that have arrived are returned first; the error, if it lasts, comes with the
          # next call.
          if count.negative? && (count != EAGAIN || (length.zero? && direction == :read))
            return total.positive? ? total : count
          end

          count.negative? ? await_readiness(direction, io, total) || (return total) : total += count
          break if count.zero? || (total >= length &&
            (direction == :write || whole?(io, buffer, offset + total, from && from + total)))
        end
        total
      end

      def try(direction, io, buffer, offset, from)
        count = if direction == :read then engine.try_read(io, buffer, offset, from)
        else
          engine.try_write(io, buffer, offset, from)
        end
        return count unless count == EAGAIN && engine.file?(io)
        return transfer_by_engine(direction, io, buffer, offset, from) if engine.transfers?

        @offload.call_to_end { transfer_blocking(direction, io, buffer, offset, from) }
      end

      # A file returns without waiting the bytes that are in memory, but callers expect that only
      # its end makes a read short.
      def whole?(io, buffer, offset, from)
        offset == buffer.size || !engine.cut_short?(io, from)
      end

      def raise_no_progress(io)
        raise(IO::TimeoutError, "no progress within the #{io.timeout} s of IO#timeout")
      end

      # Interrupts are raised only when the engine has released the buffer.
      def transfer_by_engine(direction, io, buffer, offset, from)
        transfer = IOTransfer.new(io)
        Engine.uninterruptible do
          if transfer.id # an interrupt came
            engine.disarm(transfer.id)
          else
            transfer.id = engine.public_send(direction, io, buffer, offset, from, transfer)
          end
          await_transfer(transfer)
        end
        transfer.result
      end

      def await_transfer(transfer)
        return true if transfer.result || closed?

        # Uninterruptible from the second time on: one interrupt is enough.
        park(!transfer.wait.nil?, transfer.io) do |wait|
          transfer.wait = wait
          transfer.result
        end
        true
      end

      def transfer_blocking(direction, io, buffer, offset, from)
        name = "#{"p" if from}#{direction}"
        buffer.public_send(name, io, *from, 0, offset)
      end
    end
  end
end
