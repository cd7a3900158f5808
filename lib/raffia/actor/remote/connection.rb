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

        # @return [Connection] over a socket
        def self.over(socket, dispatcher)
          guard = Fork.after_child { socket.close }
          reader = Process::FramedPipe::Reader.new(socket)
          writer = Process::FramedPipe::Writer.new(socket)
          transport = PipeTransport.new(reader, writer, nil, "the connection is lost") do
            guard.remove
          end
          new(transport, dispatcher)
        end

        # @return [Object, nil] what it ended by
        attr_reader :reason
        attr_reader :monitors
        # @return [NameTable]
        attr_reader :names

        # @param transport [#read, #write, #close, #codec, #reason]
        # @param dispatcher [RequestDispatcher] takes the other side's requests
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

        # @return [Boolean] whether this process can use it
        def ours? = @pid == ::Process.pid

        def closed? = @closed

        # @return [Boolean] whether it ends in the middle of a frame
        def broken? = @broken

        # @return [Boolean] whether the other side works on a request
        def busy? = !@open.empty?

        # Sends a request, and leaves the answer to `reply`.
        # @param reply [#settle, #fail]
        # @param ref [Ref, nil] whose end it is when the connection ends first
        # @param breakable [Boolean] whether a kill may interrupt the writing, and break the
        #   connection
        # @raise [NotDumpable]
        # @raise [ActorDied]
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

        # Sends a request, and waits for the answer.
        # @param limit [Numeric, nil] seconds
        # @yield when they are over; without a block TimeoutError is raised
        def ask(ref, op, *arguments, limit: nil)
          number = post(waiter = Waiter.new, ref, op, *arguments)
          answer = waiter.wait(limit)
          return answer unless answer.equal?(Waiter::TIMED_OUT)

          block_given? ? yield : raise(TimeoutError.new(seconds: limit))
        ensure
          forget(number) if number && @lock.hold { @open.delete(number) }
        end

        # Sends a request that has no answer.
        def tell(op, *arguments) = write(ASK, 0, [op, *arguments])

        def forget(number) = write(FORGET, number)

        # Takes frames until the connection ends.
        def serve
          while (frame = @transport.read)
            take(frame)
          end
        rescue IOError, SystemCallError
          nil # the other side ended in the middle
        ensure
          finish(@transport.reason)
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

        # @param number [Integer] of a request of the other side
        # @return [Reply, nil] nil: it has been given
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
