# frozen_string_literal: true

require_relative "connection/frames"
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
        include Frames

        def self.over(socket, dispatcher)
          fork = Fork.after_child { socket.close }
          reader = Process::FramedPipe::Reader.new(socket)
          writer = Process::FramedPipe::Writer.new(socket)
          codec = Executor::Processes::PayloadCodec.new(nil)
          new(Executor::PipeTransport.new(reader, writer, codec, "the connection is lost") do
            fork.remove
          end, dispatcher)
        end

        attr_reader :reason
        attr_reader :monitors
        attr_reader :names

        def initialize(transport, dispatcher)
          @transport = transport
          @dispatcher = dispatcher
          @lock = SpinLock.new
          @writing = Thread::Mutex.new
          @open = {}
          @late = {}
          @answers = {}
          @last = 0
          @pid = ::Process.pid
          @closed = @broken = false
          @monitors = Monitors.new(self)
          @names = NameTable.new(self, dispatcher)
        end

        # Whether this process opened it: a forked child cannot use it.
        def ours? = @pid == ::Process.pid

        def closed? = @closed

        # Whether a frame was cut off.
        def broken? = @broken

        # Whether the other side works on a request.
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
          write(ASK, number, [op, *arguments], breakable)
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

        def tell(op, *arguments) = write(ASK, 0, [op, *arguments])

        def forget(number) = write(FORGET, number)

        def serve
          while (frame = @transport.read)
            take(frame)
          end
        rescue IOError, SystemCallError
          nil # the other side ended in the middle
        ensure
          finish(@transport.death { @dispatcher.current&.inspect })
        end

        def close(reason = nil)
          @reason ||= reason
          @transport.close
        end

        def answer(number, value)
          conclude(ANSWER, number, value)
        rescue NotDumpable => error
          refuse(number, error)
        end

        def fail(number, error) = conclude(FAILURE, number, ErrorCodec.of(error))

        def refuse(number, error) = conclude(REFUSAL, number, ErrorCodec.of(error))

        def postpone(number) = write(LATER, number)

        def pending_reply(number) = @lock.hold { @answers[number] }

        private

        # A request by {tell} is not answered.
        def conclude(kind, number, payload)
          return if number.zero?

          @lock.hold { @answers.delete(number) }
          write(kind, number, payload)
        end
      end
    end
  end
end
