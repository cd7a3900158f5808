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
          deadline = self.deadline
          message = Message.new(self, name, arguments, keywords, block, waiter = Waiter.new,
            deadline, parent)
          inside = deliver(message, true)
          return waiter.take if waiter.settled?
          return wait(waiter, deadline) if parent.nil?

          parent.await(message, inside) { wait(waiter, deadline) }
        rescue CallCycle
          waiter&.settle # it is not to be done for nobody
          raise
        end

        # Asks, and leaves the answer to `reply`.
        # @param parent [Message, nil] the one that waits for it until {Message#rest}
        # @return [void]
        # @raise [CallCycle]
        def request(name, arguments, keywords, block, reply, parent)
          @interface.check(ref, name, arguments, keywords)
          message = Message.new(self, name, arguments, keywords, block, reply, deadline, parent)
          reply.message = message
          parent&.expect(message)
          inside = enqueue(message)
          check_cycle(parent, message) unless parent.nil? || inside || reply.settled?
        end

        # Does not wait, unless there is no room.
        # @return [void]
        def tell(name, arguments, keywords, block)
          @interface.check(ref, name, arguments, keywords)
          deliver(Message.new(self, name, arguments, keywords, block, nil, nil, nil), false)
        end

        # The same for one who can wait neither here nor now.
        # @return [Waiter, nil] until there is room; any thread may wait
        def hand_in(name, arguments, keywords)
          @interface.check(ref, name, arguments, keywords)
          message = Message.new(self, name, arguments, keywords, nil, nil, nil, nil)
          place = Fiber.blocking { put(message, false) }
          place.is_a?(Waiter) ? place : place && drop(place)
        end

        # @return [Future]
        def ask(name, arguments, keywords, block)
          @interface.check(ref, name, arguments, keywords)
          message = Message.new(self, name, arguments, keywords, block, future = Future.new,
            deadline, nil)
          future.message = message
          deliver(message, false)
          future
        end

        # Puts it into the mailbox, and has it worked on.
        # @param now [Boolean] whether somebody waits for it
        # @return [:inside, nil] whether it runs while the actor itself waits
        # @raise [ActorDied, Full, CallCycle]
        def deliver(message, now)
          return :inside if message.parent && reenter(message)

          case place = put(message, now)
          when Message then drop(place)
          when Waiter then wait_for_room(message, place)
          end
          nil
        end

        # The same, without waiting for room: whoever makes some puts it in.
        # @return [:inside, nil]
        # @raise (see #deliver)
        def enqueue(message)
          return :inside if message.parent && reenter(message)

          place = put(message, true)
          drop(place) if place.is_a?(Message)
          nil
        end

        private

        # @return [nil, Message, Waiter] as {Mailbox#push} has it
        def put(message, now)
          wanted = false
          rest = @guard.hold do
            unless alive?
              raise ActorDied.new(ref: ref, reason: @reason || @doom&.reason, accepted: false)
            end

            place = @mailbox.push(message, !inside?)
            wanted = @active = true if !@active && @status == :running && !place.is_a?(Waiter)
            place
          end
          dispatch(now) if wanted
          rest
        end

        # Whoever makes room puts the message in. An actor that waits for room may close a circle of
        # such, whether it wants an answer or not.
        def wait_for_room(message, waiter)
          sender = message.parent || Message.current or
            return wait(waiter, message.deadline) { withdraw(message) }

          sender.await(Room.new(message, waiter)) do
            wait(waiter, message.deadline) { withdraw(message) }
          end
        rescue CallCycle
          waiter.settle || withdraw(message)
          raise
        end

        # Its sender has gone.
        def withdraw(message)
          message.reply&.settle
          @guard.hold { @mailbox.delete(message) }
        end

        def drop(message)
          message.reply&.fail(Full.new("the mailbox of #{label} is full, and this message was " \
            "dropped", limit: @settings.mailbox))
        end

        def dispatch(now) = @place.dispatch(self, now)

        # Has it work, if there is still a loop to do that in: else whoever ends the loop buries it.
        def wake
          dispatch(false)
        rescue Closed
          nil
        end

        # Whoever works for the actor cannot wait until it has room.
        def inside? = Message.current&.cell.equal?(self)

        # The caller's own deadline is watched by its fiber; that of the actor's class is watched
        # here.
        def wait(waiter, deadline, &)
          seconds = deadline.remaining unless deadline.nil? || deadline.equal?(Raffia.deadline)
          answer = waiter.wait(seconds, &)
          answer.equal?(Waiter::TIMED_OUT) ? raise(deadline.error) : answer
        end

        # The nearer one of the caller's and of what the actor's class allows.
        def deadline = Deadline.nearer(@settings.call_timeout)
      end
    end
  end
end
