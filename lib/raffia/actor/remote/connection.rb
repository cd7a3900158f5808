# frozen_string_literal: true

require_relative "connection/frame_channel"
require_relative "connection/monitors"
require_relative "connection/name_table"

module Raffia
  class Actor
    module Remote
      # Carries requests and replies between two sides.
      #
      # Requests have numbers, so replies may come in any order and from any thread. {serve} takes
      # the other side's requests in their order.
      class Connection
        def self.over(socket, dispatcher)
          fork = Fork.after_child { socket.close }
          reader = Process::FramedPipe::Reader.new(socket)
          writer = Process::FramedPipe::Writer.new(socket)
          codec = Executor::Processes::PayloadCodec.new(nil)
          new(Executor::PipeTransport.new(reader, writer, codec, "the connection is lost") do
            fork.remove
          end, dispatcher)
        end

        attr_reader :reason, :monitors, :names

        def initialize(transport, dispatcher)
          @frames = FrameChannel.new(transport, self)
          @dispatcher = dispatcher
          @lock = SpinLock.new
          @open = {}
          @late = {}
          @answers = {}
          @last = 0
          @pid = ::Process.pid
          @closed = false
          @monitors = Monitors.new(self)
          @names = NameTable.new(self, dispatcher)
        end

        # Whether this process opened it: a forked child cannot use it.
        def ours? = @pid == ::Process.pid

        def closed? = @closed

        def broken? = @frames.broken?

        def busy? = !@open.empty?

        # Sends a request, and leaves the answer to `reply`. It is about the ref's actor, if any. A
        # kill may interrupt the writing of a `breakable` one, which breaks the connection.
        def post(reply, ref, op, *arguments, breakable: false)
          number = @lock.hold do
            next if @closed

            @open[@last += 1] = [reply, ref]
            @last
          end
          raise ActorDied.new(ref: ref, reason: @reason) unless number

          yield number if block_given?
          @frames.write(FrameChannel::ASK, number, [op, *arguments], breakable)
          number
        rescue Exception # standard:disable Lint/RescueException
          @lock.hold { @open.delete(number) } if number
          raise
        end

        # Sends a request, and waits for the answer: `limit` seconds, then it yields or raises
        # TimeoutError.
        def ask(ref, op, *arguments, limit: nil)
          number = post(waiter = Waiter.new, ref, op, *arguments)
          answer = waiter.wait(limit)
          return answer unless answer.equal?(Waiter::TIMED_OUT)

          block_given? ? yield : raise(TimeoutError.new(seconds: limit))
        ensure
          forget(number) if number && @lock.hold { @open.delete(number) }
        end

        def tell(op, *arguments) = @frames.write(FrameChannel::ASK, 0, [op, *arguments])

        def forget(number) = @frames.write(FrameChannel::FORGET, number)

        def serve
          while (frame = @frames.read)
            take(frame)
          end
        rescue IOError, SystemCallError
          nil # the other side ended in the middle
        ensure
          finish(@frames.death { @dispatcher.current&.inspect })
        end

        def close(reason = nil)
          @reason ||= reason
          @frames.close
        end

        def answer(number, value)
          conclude(FrameChannel::ANSWER, number, value)
        rescue NotDumpable => error
          refuse(number, error)
        end

        def fail(number, error) = conclude(FrameChannel::FAILURE, number, error)

        def refuse(number, error) = conclude(FrameChannel::REFUSAL, number, error)

        def postpone(number) = @frames.write(FrameChannel::LATER, number)

        def pending_reply(number) = @lock.hold { @answers[number] }

        private

        # A request by {tell} is not answered.
        def conclude(kind, number, payload)
          return if number.zero?

          @lock.hold { @answers.delete(number) }
          @frames.write(kind, number, payload)
        end

        def take(frame)
          kind, number = @frames.header(frame)
          case kind
          when FrameChannel::ASK then asked(number, frame)
          when FrameChannel::ANSWER then answered(number, frame)
          when FrameChannel::FAILURE, FrameChannel::REFUSAL then failed(kind, number, frame)
          when FrameChannel::LATER then later(number)
          when FrameChannel::FORGET then @lock.hold { @answers[number] }&.forget
          end
        end

        def asked(number, frame)
          reply = Reply.new(self, number)
          op, *arguments = @frames.load(frame)
          @lock.hold { @answers[number] = reply } unless number.zero?
          @dispatcher.serve(self, op, arguments, reply)
        rescue IOError, SystemCallError
          raise
        rescue Error => error
          reply.refuse(error)
        rescue => error
          reply.refuse(unloadable(error))
        end

        def answered(number, frame)
          value = @frames.load(frame)
          settle(number) { |reply| reply.settle(value) }
        rescue IOError, SystemCallError
          raise
        rescue => error
          settle(number) { |reply| refuse_to(reply, unloadable(error)) }
        end

        def failed(kind, number, frame)
          error = @frames.load_error(frame)
          settle(number) do |reply|
            (kind == FrameChannel::REFUSAL) ? refuse_to(reply, error) : reply.fail(error)
          end
        end

        def unloadable(error) = ErrorCodec.unloadable("a message of the other side", error)

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
