# frozen_string_literal: true

require_relative "actor_core/sending"
require_relative "actor_core/shutdown"

module Raffia
  class Actor
    # Coordinator of one actor: it owns the actor's parts and decides when each of them is used.
    #
    # It outlives the user's object: a restart makes another object, behind the same {Ref}, with the
    # same mailbox. Its lock is held around each change of the {Lifecycle} and of the {Mailbox}. An
    # actor without messages is executed by nobody, so it has neither fiber nor thread.
    #
    # @api private
    class ActorCore
      include Sending
      include Shutdown

      attr_reader :id, :settings, :interface, :group, :name, :parent, :factory, :executor, :lock,
        :lifecycle, :mailbox, :execution

      # Sets all of its variables, in one order, so that all cores have one shape. The parent, if
      # there is one, decides what follows a failure.
      def initialize(factory, settings, group, name = nil, parent = nil)
        @id = group.next_id
        @factory = factory
        @settings = settings
        @group = group
        @name = name
        @parent = parent
        @executor = Executors.find(settings.on, group)
        @interface = Interface.of(factory.actor_class)
        @mailbox = Mailbox.new(settings)
        @lock = SpinLock.new
        @lifecycle = Lifecycle.new
        @execution = build_execution
        @ref = @links = @timers = @deferred = @termination = nil
      end

      def ref = @ref ||= Ref.new(self)

      def actor_class = @factory.actor_class

      def status = @lifecycle.state

      def reason = @lifecycle.reason

      def current = @execution.current

      def alive? = @lifecycle.alive?

      def dead? = @lifecycle.dead?

      def at_rest? = @lock.hold { @lifecycle.at_rest? }

      def supervised? = @parent.respond_to?(:supervisor)

      def class_name = actor_class.name

      def call_timeout = @settings.call_timeout

      def known_status = status

      def via_uplink? = false

      def label = "#{actor_class.name || "Actor"}##{@id}#{" #{@name.inspect}" if @name}"

      def kind = actor_class.raffia_kind

      def backlog
        current = self.current # once: it may be finished meanwhile
        @mailbox.size + ((current.nil? || current.over?) ? 0 : 1)
      end

      def stats
        {status: status, on: @settings.on, mailbox: @mailbox.size, handled: @execution.handled,
         dropped: @mailbox.dropped, restarts: @lifecycle.restarts}
      end

      def timers = @timers || @lock.hold { @timers ||= Timers.new(self) }

      def start_timer(seconds, repeat, &) = timers.start(seconds, repeat, &)

      def subscribe(pattern, handler)
        Topics.current.subscribe(self, Topics::Pattern.check(pattern), handler)
      end

      def unsubscribe(pattern)
        Topics.current.unsubscribe(self, pattern && Topics::Pattern.check(pattern))
      end

      def defer(answer)
        @lock.hold { (@deferred ||= {}.compare_by_identity)[answer] = true } && answer
      end

      def forget_deferred(answer) = @lock.hold { @deferred&.delete(answer) }

      # Makes the object, and waits for that. Raises what its `initialize` or `on_start` raised:
      # then there is no actor.
      def start
        error = @execution.start or return ref
        raise error
      end

      # Makes another object, which takes over the messages that wait. The parent calls this after
      # its `ended`. Returns why there is none: the actor is :restarting as before, or dead.
      def restart
        return @execution.start if @lock.hold { @lifecycle.restart }

        ActorDied.new(ref: ref, reason: reason)
      end

      def links = @links || @lock.hold { @links ||= Links.new(self) }

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

      def add_link(other) = links.add(other)

      def delete_link(other) = @links&.delete(other)

      def watch(&) = links.observe(&)

      def unwatch(block) = @links&.unobserve(block)

      def monitor(other, &) = links.monitor(other, &)

      def demonitor(other, handle) = links.demonitor(other, handle)

      def linked_exit(other, reason)
        delete_link(other)
        return urge { @execution.object.on_exit(other.ref, reason) } if @settings.trap_exit

        kill(reason) unless reason == :normal
      end

      def announce(reason) = @links&.announce(reason)

      # Waits for the end. Returns nil when that does not come within the timeout.
      def join(timeout = nil)
        raise CallCycle.new(calls: [Message.current.inspect, "#{label}#join"]) if inside?

        waiter = Waiter.new
        return self unless links.add_joiner(waiter)

        (waiter.wait(timeout) == Waiter::TIMED_OUT) ? nil : self
      ensure
        @links.delete_joiner(waiter) if waiter
      end

      def settle_at_end(reply)
        reply.settle(true) unless links.add_joiner(reply)
      end

      private

      def build_execution = Execution.new(self)
    end
  end
end
