# frozen_string_literal: true

module Raffia
  class Actor
    class ActorCore
      # Links, monitors and joins of the actor.
      module Relations
        # Links this actor and the other, both ways.
        def link(other)
          return if other.equal?(self)

          add_link(other)
          other.add_link(self)
        end

        def unlink(other)
          delete_link(other)
          other.delete_link(self)
        end

        # (see Links#add)
        def add_link(other) = links.add(other)

        # (see Links#delete)
        def delete_link(other) = @links&.delete(other)

        # (see Links#observe)
        def watch(&) = links.observe(&)

        # (see Links#unobserve)
        def unwatch(block) = @links&.unobserve(block)

        # (see Links#monitor)
        def monitor(other, &) = links.monitor(other, &)

        # (see Links#demonitor)
        def demonitor(other, handle) = links.demonitor(other, handle)

        # A linked actor has ended.
        def linked_exit(other, reason)
          delete_link(other)
          return urge { @execution.object.on_exit(other.ref, reason) } if @settings.trap_exit

          kill(reason) unless reason == :normal
        end

        # @return [ActorCore, nil]
        def join(timeout = nil)
          raise CallCycle.new(calls: [Message.current.inspect, "#{label}#join"]) if inside?

          waiter = Waiter.new
          return self unless links.add_joiner(waiter)

          (waiter.wait(timeout) == Waiter::TIMED_OUT) ? nil : self
        ensure
          @links.delete_joiner(waiter) if waiter
        end

        # Settles the reply when the actor is dead.
        # @param reply [#settle, #settled?]
        def settle_at_end(reply)
          reply.settle(true) unless links.add_joiner(reply)
        end

        # Tells links and observers that the object has ended.
        def announce(reason) = @links&.announce(reason)
      end
    end
  end
end
