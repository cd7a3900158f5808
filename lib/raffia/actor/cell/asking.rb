# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # The ways in which an actor is asked for something, seen from whoever asks.
      #
      # @api private
      module Asking
        # Waits for the answer.
        # @return [Object]
        def call(name, arguments, keywords, block)
          @interface.check(ref, name, arguments, keywords)
          parent = Message.current
          message = Message.new(self, name, arguments, keywords, block, waiter = Waiter.new, deadline, parent)
          if parent && (waiting = parent.chain.find { |other| other.cell.equal?(self) && other.underway? })
            reenter(message, waiting)
          else
            deliver(message, true)
          end
          answer = waiter.wait(limit = @settings.call_timeout)
          answer.equal?(Waiter::TIMED_OUT) ? raise(TimeoutError.new(seconds: limit)) : answer
        end

        # Does not wait, unless there is no room.
        # @return [void]
        def tell(name, arguments, keywords, block)
          @interface.check(ref, name, arguments, keywords)
          deliver(Message.new(self, name, arguments, keywords, block, nil, nil, nil), false)
        end

        # @return [Future]
        def ask(name, arguments, keywords, block)
          @interface.check(ref, name, arguments, keywords)
          future = Future.new
          deliver(Message.new(self, name, arguments, keywords, block, future, deadline, nil), false)
          future
        end

        # Puts it into the mailbox, and has it worked on.
        # @param now [Boolean] whether somebody waits for it
        # @return [void]
        # @raise [ActorDied, Full]
        def deliver(message, now)
          until (place = put(message, now)).nil?
            return drop(place) if place.is_a?(Message)

            place.wait { @guard.hold { @mailbox.make_room } }
          end
        end

        private

        # @return [nil, Message, Waiter] as {Mailbox#push} has it
        def put(message, now)
          wanted = false
          rest = @guard.hold do
            raise ActorDied.new(ref: ref, reason: @reason, accepted: false) unless alive?

            place = @mailbox.push(message, !inside?)
            wanted = @active = true if !place.is_a?(Waiter) && !@active && @status == :running
            place
          end
          dispatch(now) if wanted
          rest
        end

        def drop(message)
          message.reply&.fail(Full.new("the mailbox of #{label} is full, and this message was dropped", limit: @settings.mailbox))
        end

        def dispatch(now) = @runner = @place.dispatch(self, now)

        # Whoever works for the actor cannot wait until it has room.
        def inside? = Message.current&.cell.equal?(self)

        # Its answer is waited for by one whom the actor waits for.
        def reenter(message, waiting)
          unless @settings.reentrant.include?(message.name)
            raise CallCycle.new(calls: [message, *message.parent.chain.take_while { |one| !one.equal?(waiting) }, waiting].reverse.map(&:inspect))
          end

          @place.reenter { perform(message) }
        end

        # The nearer one of the caller's and of what the actor's class allows.
        def deadline
          outer = Raffia.deadline
          limit = @settings.call_timeout or return outer
          inner = Deadline.new(limit)
          (outer && outer.at <= inner.at) ? outer : inner
        end
      end
    end
  end
end
