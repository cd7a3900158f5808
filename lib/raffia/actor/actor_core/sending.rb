# frozen_string_literal: true

module Raffia
  class Actor
    class ActorCore
      # Sends messages to the actor. Its methods run in the sender.
      module Sending
        # Waits for the answer.
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
          waiter&.settle # nobody waits for the message any more
          raise
        end

        # Leaves the answer to the reply.
        # @param parent [Message, nil] which waits for it until {Message#rest}
        # @raise [CallCycle]
        def request(name, arguments, keywords, block, reply, parent)
          @interface.check(ref, name, arguments, keywords)
          message = Message.new(self, name, arguments, keywords, block, reply, deadline, parent)
          reply.message = message
          parent&.expect(message)
          inside = enqueue(message)
          check_cycle(parent, message) unless parent.nil? || inside || reply.settled?
        end

        # Does not wait, unless the mailbox is full.
        def tell(name, arguments, keywords, block)
          @interface.check(ref, name, arguments, keywords)
          deliver(Message.new(self, name, arguments, keywords, block, nil, nil, nil), false)
        end

        # As {tell}, and never waits.
        # @return [Waiter, nil] until there is room; any thread may wait for it
        def try_tell(name, arguments, keywords)
          @interface.check(ref, name, arguments, keywords)
          message = Message.new(self, name, arguments, keywords, nil, nil, nil, nil)
          rest = Fiber.blocking { put(message, false) }
          rest.is_a?(Waiter) ? rest : rest && drop(rest)
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

        # Puts the message into the mailbox, and has it handled.
        # @param now [Boolean] whether somebody waits for it
        # @return [:inside, nil] :inside when it ran nested in the message that waits for it
        # @raise [ActorDied, Full, CallCycle]
        def deliver(message, now)
          return :inside if message.parent && reenter(message)

          case rest = put(message, now)
          when Message then drop(rest)
          when Waiter then wait_for_room(message, rest)
          end
          nil
        end

        # As {deliver}, without waiting for room: the message is put in when there is some.
        # @return [:inside, nil]
        # @raise (see #deliver)
        def enqueue(message)
          return :inside if message.parent && reenter(message)

          rest = put(message, true)
          drop(rest) if rest.is_a?(Message)
          nil
        end

        # Has it work, if its loop has not ended: what ends the loop ends the actor, too.
        def wake
          dispatch(false)
        rescue Closed
          nil
        end

        # As {WaitGraph#check}.
        def check_cycle(waiting, message) = WaitGraph.check(self, waiting, message)

        # Runs a message that waits behind the one for whose end it is needed.
        # @return [Boolean] whether that is allowed
        def admit(message)
          return false unless @settings.reentrant.include?(message.name)
          return false unless @lock.hold { @mailbox.delete(message) }

          NestedExecution.new(self, message).start
          true
        end

        private

        # @return [nil, Message, Waiter] (see Mailbox#push)
        def put(message, now)
          idle = false
          rest = @lock.hold do
            refuse unless @lifecycle.alive?

            rest = @mailbox.push(message, !inside?)
            idle = !rest.is_a?(Waiter) && @lifecycle.acquire_running
            rest
          end
          dispatch(now) if idle
          rest
        end

        def refuse
          reason = @lifecycle.reason || @lifecycle.exit_signal&.reason
          raise ActorDied.new(ref: ref, reason: reason, accepted: false)
        end

        # An actor that waits for room may close a cycle, whether it wants an answer or not.
        def wait_for_room(message, waiter)
          sender = message.parent || Message.current
          return wait(waiter, message.deadline) { withdraw(message) } unless sender

          sender.await(MailboxWait.new(message, waiter)) do
            wait(waiter, message.deadline) { withdraw(message) }
          end
        rescue CallCycle
          waiter.settle || withdraw(message)
          raise
        end

        # Its sender has gone.
        def withdraw(message)
          message.reply&.settle
          @lock.hold { @mailbox.delete(message) }
        end

        def drop(message)
          text = "the mailbox of #{label} is full, and this message was dropped"
          message.reply&.fail(Full.new(text, limit: @settings.mailbox))
        end

        # Runs a message now if this actor waits for its sender.
        # @return [Boolean] whether it ran
        # @raise [CallCycle] when its method may not run nested
        def reenter(message)
          return false unless WaitGraph.nested?(self, message)

          NestedExecution.new(self, message).start
          true
        end

        def dispatch(now) = @executor.dispatch(@execution, now)

        # @return [Boolean] whether the running code is work of this actor, which cannot wait for
        #   room
        def inside? = Message.current&.core.equal?(self)

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
