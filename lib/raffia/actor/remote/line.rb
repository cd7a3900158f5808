# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # What two sides ask each other through. Questions have numbers, so they can be answered in any order and from any thread; they are
      # taken in by whoever {serve}s the line, in the order in which they were asked.
      #
      # @api private
      class Line
        KEY = :raffia_actor_line
        # What a frame is. ASK, ANSWER, FAILURE (of the work), REFUSAL (the asker's own mistake), LATER: it will come, do not wait,
        # FORGET: it need not come.
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
          @guard = Guard.new
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
        rescue NotDumpable
          @guard.hold { @open.delete(number) }
          raise
        end

        # Asks, and waits.
        # @return [Object]
        def ask(ref, op, *arguments, limit: nil)
          number = post(waiter = Waiter.new, ref, op, *arguments)
          answer = waiter.wait(limit)
          answer.equal?(Waiter::TIMED_OUT) ? raise(TimeoutError.new(seconds: limit)) : answer
        ensure
          forget(number) if number && @guard.hold { @open.delete(number) }
        end

        # Says something that has no answer.
        # @return [void]
        def tell(op, *arguments) = write(ASK, 0, [op, *arguments])

        # @return [void]
        def forget(number) = write(FORGET, number)

        # @return [void]
        def answer(number, value)
          given(ANSWER, number, value)
        rescue NotDumpable => error
          refuse(number, error)
        end

        # @return [void]
        def fail(number, error) = given(FAILURE, number, Words.of(error))

        # @return [void]
        def refuse(number, error) = given(REFUSAL, number, Words.of(error))

        # @return [void]
        def postpone(number) = write(LATER, number)

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

        # @param number [Integer] of a question of the other side's
        # @return [Answer, nil] if it has not been given
        def owed(number) = @guard.hold { @answers[number] }

        # @return [void]
        def close(reason = nil)
          @reason ||= reason
          @wire.close
        end

        private

        def given(kind, number, payload)
          @guard.hold { @answers.delete(number) }
          write(kind, number, payload)
        end
      end
    end
  end
end

require_relative "line/words"
require_relative "line/frames"
require_relative "line/names"
require_relative "line/watches"

module Raffia
  class Actor
    module Remote
      class Line
        include Frames
        include Names
        include Watches
      end
    end
  end
end
