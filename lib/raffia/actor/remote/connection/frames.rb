# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Connection
        # Reads and writes frames, and matches replies with requests.
        module Frames
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

          private

          # Writes a frame whole or not at all: interrupts arrive afterwards. But an actor can be
          # killed although the other side does not read.
          def write(kind, number, payload = nil, breakable = false)
            return Raffia.shield { put(kind, number, payload) } if Fiber.current_scheduler

            Thread.handle_interrupt(breakable ? KILLABLE : PROTECTED) { put(kind, number, payload) }
          rescue IOError => error
            # an interrupt of the user's may be another IOError
            raise unless error.message == CLOSED
          end

          # Dumps under the lock: payloads in shared memory are sent while they are dumped, in the
          # order of their frames.
          def put(kind, number, payload)
            @writing.synchronize do
              return if @broken

              frame = [kind, number].pack(HEADER) << dump(payload)
              begin
                @transport.write(frame)
              rescue Cancel
                @broken = true
                raise
              end
            end
          end

          def dump(payload)
            as_current do
              (ErrorCodec::SentError === payload) ? payload.dump : @transport.codec.dump(payload)
            end
          rescue NotDumpable
            raise
          rescue *Executor::ErrorTransport::REFUSALS => error
            raise ErrorCodec.undumpable(error)
          end

          def load(frame) = as_current { @transport.codec.load(frame.byteslice(BODY)) }

          def as_current
            outer = Fiber[Ref::CONNECTION]
            Fiber[Ref::CONNECTION] = self
            yield
          ensure
            Fiber[Ref::CONNECTION] = outer
          end

          def take(frame)
            kind, number = frame.unpack(HEADER)
            case kind
            when ASK then asked(number, frame)
            when ANSWER then answered(number, frame)
            when FAILURE, REFUSAL then failed(kind, number, frame)
            when LATER then later(number)
            when FORGET then @lock.hold { @answers[number] }&.forget
            end
          end

          def asked(number, frame)
            reply = Reply.new(self, number)
            op, *arguments = load(frame)
            @lock.hold { @answers[number] = reply } unless number.zero?
            @dispatcher.serve(self, op, arguments, reply)
          rescue IOError, SystemCallError
            raise
          rescue Error => error
            reply.refuse(error)
          rescue => error
            reply.refuse(ErrorCodec.unloadable(error))
          end

          def answered(number, frame)
            value = load(frame)
            settle(number) { |reply| reply.settle(value) }
          rescue IOError, SystemCallError
            raise
          rescue => error
            settle(number) { |reply| refuse_to(reply, ErrorCodec.unloadable(error)) }
          end

          def failed(kind, number, frame)
            error = as_current { ErrorCodec.read(frame.byteslice(BODY)) }
            settle(number) do |reply|
              (kind == REFUSAL) ? refuse_to(reply, error) : reply.fail(error)
            end
          end

          def refuse_to(reply, error)
            reply.respond_to?(:refuse) ? reply.refuse(error) : reply.fail(error)
          end

          def settle(number)
            reply, = @lock.hold { @open.delete(number) || @late.delete(number) }
            yield reply if reply
          end

          # The asker goes on, and another reply is settled in the end.
          def later(number)
            reply, ref = @lock.hold { @open.delete(number) }
            final = reply&.postpone or return
            @lock.hold { @late[number] = [final, ref] }
          end

          def finish(reason)
            open = @lock.hold do
              @closed = true
              @reason ||= reason
              [*@open.values, *@late.values].tap { [@open, @late].each(&:clear) }
            end
            open.each { |reply, ref| reply.fail(ActorDied.new(ref: ref, reason: @reason)) }
            @dispatcher.ended(self, @reason)
          end
        end
      end
    end
  end
end
