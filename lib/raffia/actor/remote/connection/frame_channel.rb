# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Connection
        # Reads and writes the frames of a connection: kind, number, payload.
        class FrameChannel
          # Kinds of frames. FAILURE is of the work, REFUSAL the asker's own mistake. After LATER
          # the answer follows, but the asker goes on; after FORGET it is not needed.
          ASK, ANSWER, FAILURE, REFUSAL, LATER, FORGET = *1..6
          HEADER = "CN"
          BODY = (5..)
          PROTECTED = {Exception => :never}.freeze
          KILLABLE = {Cancel => :immediate, Exception => :never}.freeze
          # Ruby's message when another thread closes a stream in use. It arrives with the next
          # interrupt.
          CLOSED = "stream closed in another thread"
          private_constant :HEADER, :BODY, :PROTECTED, :KILLABLE, :CLOSED

          def initialize(transport, connection)
            @transport = transport
            @connection = connection
            @lock = Thread::Mutex.new
            @broken = false
          end

          def broken? = @broken

          # Returns a frame for {header} and {load}, nil at the end.
          def read = @transport.read

          def header(frame) = frame.unpack(HEADER)

          def load(frame) = as_current { @transport.codec.load(frame.byteslice(BODY)) }

          def load_error(frame) = as_current { ErrorCodec.load(frame.byteslice(BODY)) }

          # Writes a frame whole or not at all: interrupts arrive afterwards. But an actor can be
          # killed although the other side does not read: a `breakable` frame may be cut off.
          def write(kind, number, payload = nil, breakable = false)
            return Raffia.shield { put(kind, number, payload) } if Fiber.current_scheduler

            Thread.handle_interrupt(breakable ? KILLABLE : PROTECTED) { put(kind, number, payload) }
          rescue IOError => error
            # an interrupt of the user's may be another IOError
            raise unless error.message == CLOSED
          end

          # Why it has ended. The block names what the other side worked on.
          def death(&) = @transport.death(&)

          def close = @transport.close

          private

          # Dumps under the lock: payloads in shared memory are sent while they are dumped, in the
          # order of their frames.
          def put(kind, number, payload)
            @lock.synchronize do
              return if @broken

              frame = [kind, number].pack(HEADER) << dump(kind, payload)
              begin
                @transport.write(frame)
              rescue Cancel
                @broken = true
                raise
              end
            end
          end

          def dump(kind, payload)
            as_current do
              next ErrorCodec.dump(payload) if kind == FAILURE || kind == REFUSAL

              @transport.codec.dump(payload)
            end
          rescue NotDumpable
            raise
          rescue *Executor::ErrorTransport::REFUSALS => error
            raise NotDumpable, "this cannot go to where the actor is (#{error.message}): hand in " \
              "and return plain data (numbers, strings, arrays, hashes, structs) and refs, or " \
              "spawn on: :threads"
          end

          # Refs are dumped and loaded as this connection names them.
          def as_current
            outer = Fiber[Ref::CONNECTION]
            Fiber[Ref::CONNECTION] = @connection
            yield
          ensure
            Fiber[Ref::CONNECTION] = outer
          end
        end
      end
    end
  end
end
