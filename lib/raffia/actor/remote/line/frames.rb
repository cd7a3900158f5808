# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Line
        # How frames are written, and what is done with one that came.
        #
        # @api private
        module Frames
          private

          HELD = {Exception => :never}.freeze
          KILLABLE = {Cancel => :immediate, Exception => :never}.freeze
          # What Ruby says to whoever uses what another thread closes, though to this one no sooner
          # than it may be interrupted.
          CLOSED = "stream closed in another thread"
          private_constant :HELD, :KILLABLE, :CLOSED

          # A frame is written whole or not at all: whoever is interrupted hears of it afterwards.
          # But an actor can be killed although the other side does not read.
          def write(kind, number, payload = nil, breakable = false)
            return Raffia.shield { put(kind, number, payload) } if Fiber.current_scheduler

            Thread.handle_interrupt(breakable ? KILLABLE : HELD) { put(kind, number, payload) }
          rescue IOError => error
            # somebody may have interrupted us by one of his own
            raise unless error.message == CLOSED
          end

          # Dumped under the lock, for parcels are sent when they are dumped, and go in the order of
          # their frames.
          def put(kind, number, payload)
            @writing.synchronize do
              return if @broken

              frame = [kind, number].pack(HEADER) << dump(payload)
              begin
                @wire.write(frame)
              rescue Cancel
                @broken = true
                raise
              end
            end
          end

          def dump(payload)
            as_current { (Words::Told === payload) ? payload.dump : @wire.codec.dump(payload) }
          rescue NotDumpable
            raise
          rescue *Executor::ErrorTransport::REFUSALS => error
            raise Words.undumpable(error)
          end

          def load(frame) = as_current { @wire.codec.load(frame.byteslice(HEADER_SIZE..)) }

          # Refs are dumped and loaded as this line knows them.
          def as_current
            outer = Fiber[KEY]
            Fiber[KEY] = self
            yield
          ensure
            Fiber[KEY] = outer
          end

          def take(frame)
            kind, number = frame.unpack(HEADER)
            case kind
            when ASK then asked(number, frame)
            when ANSWER then answered(number, frame)
            when FAILURE, REFUSAL then failed(kind, number, frame)
            when LATER then later(number)
            when FORGET then @guard.hold { @answers[number] }&.forget
            end
          end

          def asked(number, frame)
            answer = Answer.new(self, number)
            op, *arguments = load(frame)
            @guard.hold { @answers[number] = answer } unless number.zero?
            @desk.serve(self, op, arguments, answer)
          rescue IOError, SystemCallError
            raise
          rescue Error => error
            answer.refuse(error)
          rescue => error
            answer.refuse(Words.unloadable(error))
          end

          def answered(number, frame)
            value = load(frame)
            settle(number) { |reply| reply.settle(value) }
          rescue IOError, SystemCallError
            raise
          rescue => error
            settle(number) { |reply| refuse_to(reply, Words.unloadable(error)) }
          end

          def failed(kind, number, frame)
            error = as_current { Words.read(frame.byteslice(HEADER_SIZE..)) }
            settle(number) do |reply|
              (kind == REFUSAL) ? refuse_to(reply, error) : reply.fail(error)
            end
          end

          def refuse_to(reply, error)
            reply.respond_to?(:refuse) ? reply.refuse(error) : reply.fail(error)
          end

          def settle(number)
            reply, = @guard.hold { @open.delete(number) || @late.delete(number) }
            yield reply if reply
          end

          # Whoever waits goes on, and another is answered in the end.
          def later(number)
            reply, ref = @guard.hold { @open.delete(number) }
            final = reply&.postpone or return
            @guard.hold { @late[number] = [final, ref] }
          end

          # Nothing will come any more.
          def finish(reason)
            open = @guard.hold do
              @closed = true
              @reason ||= reason
              [*@open.values, *@late.values].tap { [@open, @late].each(&:clear) }
            end
            open.each { |reply, ref| reply.fail(ActorDied.new(ref: ref, reason: @reason)) }
            @desk.ended(self, @reason)
          end
        end
      end
    end
  end
end
