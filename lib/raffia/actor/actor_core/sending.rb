# frozen_string_literal: true

module Raffia
  class Actor
    class ActorCore
      # Sends messages to the actor. Its methods run in the sender.
      #
      # {deliver}, and all that use it, raise ActorDied, Full and CallCycle.
      module Sending
        def call(name, arguments, keywords, block)
          @interface.check(self, name, arguments, keywords)
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

        # Leaves the answer to the reply. The parent, if any, waits for it until {Message#rest}.
        def request(name, arguments, keywords, block, reply, parent)
          @interface.check(self, name, arguments, keywords)
          message = Message.new(self, name, arguments, keywords, block, reply, deadline, parent)
          reply.message = message
          parent&.expect(message)
          inside = enqueue(message)
          check_cycle(parent, message) unless parent.nil? || inside || reply.settled?
        end

        def tell(name, arguments, keywords, block)
          @interface.check(self, name, arguments, keywords)
          deliver(Message.new(self, name, arguments, keywords, block, nil, nil, nil), false)
        end

        # Like {tell}, and never waits: it returns a {Waiter} until there is room, for any thread.
        def try_tell(name, arguments, keywords)
          @interface.check(self, name, arguments, keywords)
          message = Message.new(self, name, arguments, keywords, nil, nil, nil, nil)
          rest = Fiber.blocking { put(message, false) }
          rest.is_a?(Waiter) ? rest : rest && drop(rest)
        end

        def ask(name, arguments, keywords, block)
          @interface.check(self, name, arguments, keywords)
          message = Message.new(self, name, arguments, keywords, block, future = Future.new,
            deadline, nil)
          future.message = message
          deliver(message, false)
          future
        end

        # Puts the message into the mailbox, and has it handled: `now` if somebody waits for it.
        # Returns :inside when it ran nested in the message that waits for it.
        def deliver(message, now)
          return :inside if message.parent && reenter(message)

          case rest = put(message, now)
          when Message then drop(rest)
          when Waiter then wait_for_room(message, rest)
          end
          nil
        end

        # Like {deliver}, without waiting for room: the message is put in when there is some.
        def enqueue(message)
          return :inside if message.parent && reenter(message)

          rest = put(message, true)
          drop(rest) if rest.is_a?(Message)
          nil
        end

        # Puts in what the block puts in, under the lock. Returns whether it did.
        def insert
          idle = @lock.hold do
            return false unless yield

            @lifecycle.acquire_running
          end
          wake if idle
          true
        end

        # Runs the block, or a message, as work of the actor before the messages that wait.
        def urge(message = nil, &block)
          insert do
            # A block is meant for the object that is there now. A message of a supervisor's child
            # may come while the next object is made, and is meant for that.
            next if dead? || (status == :restarting && message.nil?)

            @mailbox.urge(message || SystemMessage.new(self, block))
          end
        end

        # Has it work, if its loop has not ended: what ends the loop ends the actor, too.
        def wake
          dispatch(false)
        rescue Closed
          nil
        end

        def check_cycle(waiting, message) = WaitGraph.check(self, waiting, message)

        # Runs a message that waits behind the one for whose end it is needed. Returns whether that
        # is allowed.
        def admit(message)
          return false unless @settings.reentrant.include?(message.name)
          return false unless @lock.hold { @mailbox.delete(message) }

          NestedExecution.new(self, message).start
          true
        end

        private

        # Returns what {Mailbox#push} does. The mailbox of an idle actor is empty, so there is room.
        def put(message, now)
          idle = nil
          rest = @lock.hold do
            idle = @lifecycle.acquire_running
            refuse unless idle || @lifecycle.alive?
            @mailbox.push(message) { !inside? }
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

          sender.await(WaitGraph::MailboxWait.new(message, waiter)) do
            wait(waiter, message.deadline) { withdraw(message) }
          end
        rescue CallCycle
          waiter.settle || withdraw(message)
          raise
        end

        def withdraw(message)
          message.reply&.settle
          @lock.hold { @mailbox.delete(message) }
        end

        def drop(message)
          text = "the mailbox of #{label} is full, and this message was dropped"
          message.reply&.fail(Full.new(text, limit: @settings.mailbox))
        end

        def reenter(message)
          return false unless WaitGraph.nested?(self, message)

          NestedExecution.new(self, message).start
          true
        end

        def dispatch(now) = @executor.dispatch(@execution, now)

        # Whether the running code is work of this actor, which cannot wait for room.
        def inside? = Message.current&.core.equal?(self)

        # The caller's own deadline is watched by its fiber; that of the actor's class is watched
        # here.
        def wait(waiter, deadline, &)
          seconds = deadline.remaining unless deadline.nil? || deadline.equal?(Raffia.deadline)
          answer = waiter.wait(seconds, &)
          answer.equal?(Waiter::TIMED_OUT) ? raise(deadline.error) : answer
        end

        def deadline = Deadline.nearer(@settings.call_timeout)
      end
    end
  end
end
