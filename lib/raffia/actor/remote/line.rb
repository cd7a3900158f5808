# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # What two sides ask each other through. Questions have numbers, so they can be answered in
      # any order and from any thread; they are taken in by whoever {serve}s the line, in the order
      # in which they were asked.
      #
      # @api private
      class Line
        KEY = :raffia_actor_line
        # What a frame is. ASK, ANSWER, FAILURE (of the work), REFUSAL (the asker's own mistake),
        # LATER: it will come, do not wait, FORGET: it need not come.
        ASK, ANSWER, FAILURE, REFUSAL, LATER, FORGET = *1..6
        HEADER = "CN"
        HEADER_SIZE = 5

        # @return [Line, nil] that the running code writes to, or reads from
        def self.current = Fiber[KEY]

        # @return [Object, nil] what it ended by
        attr_reader :reason

        # @param wire [#read, #write, #close, #codec, #reason]
        # @param desk [#serve] takes what the other side asks
        def initialize(wire, desk)
          @wire = wire
          @desk = desk
          @guard = SpinLock.new
          @writing = Thread::Mutex.new
          @open = {}
          @late = {}
          @answers = {}
          @last = 0
          @pid = ::Process.pid
          @closed = @broken = false
        end

        # @return [Boolean] whether this process can use it
        def ours? = @pid == ::Process.pid

        def closed? = @closed

        # @return [Boolean] whether it ends in the middle of a frame
        def broken? = @broken

        # @return [Boolean] whether the other side works on something for us
        def busy? = !@open.empty?

        # Asks, and leaves the answer to `reply`.
        # @param reply [#settle, #fail]
        # @param ref [Ref, nil] whose end it is when the line ends first
        # @param breakable [Boolean] whether a kill may break off the writing, and with it the line
        # @return [Integer]
        # @raise [NotDumpable]
        # @raise [ActorDied]
        def post(reply, ref, op, *arguments, breakable: false)
          number = @guard.hold do
            next if @closed

            @open[@last += 1] = [reply, ref]
            @last
          end
          raise ActorDied.new(ref: ref, reason: @reason) unless number

          yield number if block_given?
          write(ASK, number, [op, *arguments], breakable)
          number
        rescue Exception # standard:disable Lint/RescueException
          @guard.hold { @open.delete(number) } if number
          raise
        end

        # Asks, and waits.
        # @param limit [Numeric, nil] seconds
        # @yield when they are over; without a block it is an error
        # @return [Object]
        def ask(ref, op, *arguments, limit: nil)
          number = post(waiter = Waiter.new, ref, op, *arguments)
          answer = waiter.wait(limit)
          return answer unless answer.equal?(Waiter::TIMED_OUT)

          block_given? ? yield : raise(TimeoutError.new(seconds: limit))
        ensure
          forget(number) if number && @guard.hold { @open.delete(number) }
        end

        # Says something that has no answer.
        # @return [void]
        def tell(op, *arguments) = write(ASK, 0, [op, *arguments])

        # @return [void]
        def forget(number) = write(FORGET, number)

        # Takes in what comes, until nothing can come any more.
        # @return [void]
        def serve
          while (frame = @wire.read)
            take(frame)
          end
        rescue IOError, SystemCallError
          nil # the other side ended in the middle
        ensure
          finish(@wire.reason)
        end

        # @return [void]
        def close(reason = nil)
          @reason ||= reason
          @wire.close
        end
      end
    end
  end
end

require_relative "line/words"
require_relative "line/answering"
require_relative "line/frames"
require_relative "line/names"
require_relative "line/watches"

module Raffia
  class Actor
    module Remote
      class Line
        include Answering
        include Frames
        include Names
        include Watches
      end
    end
  end
end
