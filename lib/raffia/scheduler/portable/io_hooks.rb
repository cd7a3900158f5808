# frozen_string_literal: true

module Raffia
  class Scheduler
    class Portable
      # The hooks that wait for descriptors, and those that read and write (see {FileIO}).
      #
      # @api private
      module IOHooks
        ETIME = -Errno::ETIME::Errno
        EBADF = -Errno::EBADF::Errno
        EAGAIN = -Errno::EAGAIN::Errno
        private_constant :ETIME, :EBADF, :EAGAIN

        # Hook of IO#wait and of all that would block on a descriptor. +timeout+ in seconds; 0:
        # polls once; nil: IO#timeout. Returns the events that came, false when the time was up.
        def io_wait(io, events, timeout = nil)
          # Ruby 3.4 calls this from the offload pool's thread too, where IO.copy_stream runs.
          unless @thread.nil? || @thread.equal?(Thread.current)
            return io.wait(events, timeout) || false
          end

          return wait_until_ready(io, events, timeout) if timeout || (limit = io.timeout).nil?

          wait_until_ready(io, events, limit) || io_timed_out(limit)
        end

        # Hook. +length+ is the least number of bytes to wait for; 0: tries once. Returns bytes, 0
        # at the end of the file, or a negative errno.
        def io_read(io, buffer, length, offset)
          count = transfer(:read, io, buffer, nil, length, offset)
          sysread = count == EAGAIN && caller_locations(1, 1).first&.base_label == "sysread"
          return count unless sysread

          # IO#sysread leaves the waiting to the scheduler; only its name distinguishes it from
          # IO#read_nonblock.
          transfer(:read, io, buffer, nil, 1, offset)
        end

        def io_write(io, buffer, length, offset)
          transfer(:write, io, buffer, nil, length, offset)
        end

        private

        def wait_until_ready(io, events, timeout)
          return poll(io, events) if timeout && timeout <= 0

          wait = new_wait(about: {reason: :io, subject: io, fd: io.fileno, events: events,
                                  limit: timeout})
          timer = engine.after(timeout, wait) if timeout
          operation = engine.arm(io, events, wait)
          result = suspend(wait)
          # The loop may have been late for both: then what is there now decides.
          return poll(io, events) if result == ETIME

          result.negative? ? fail_with(io, result) : result
        ensure
          @engine.disarm(timer) if timer
          @engine.disarm(operation) if operation
        end

        def poll(io, events)
          found = engine.ready(io, events)
          return found if found.positive?

          found.negative? ? fail_with(io, found) : false
        end

        def fail_with(io, result)
          raise IOError, "stream closed in another thread" if result == EBADF && io.closed?
          raise SystemCallError.new(nil, -result)
        end
      end
    end
  end
end
