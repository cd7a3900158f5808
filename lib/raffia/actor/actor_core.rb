# frozen_string_literal: true

require_relative "actor_core/relations"
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
      include Relations
      include Shutdown

      attr_reader :id, :settings, :interface
      # @return [ActorGroup]
      attr_reader :group
      # @return [Symbol, String, nil]
      attr_reader :name
      # @return [#ended, nil] who decides what follows a failure
      attr_reader :parent
      # @return [ObjectFactory]
      attr_reader :factory
      # @return [Executors::Fibers, Executors::Threads, Remote::ThreadExecutor]
      attr_reader :executor
      # @return [SpinLock]
      attr_reader :lock
      attr_reader :lifecycle, :mailbox, :execution

      # Sets all of its variables, in one order, so that all cores have one shape.
      # @param factory [ObjectFactory]
      # @param parent [#ended, nil]
      def initialize(factory, settings, group, name = nil, parent = nil)
        @id = RactorLocal.fetch(:raffia_actor_ids) { IdSequence.new }.next
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

      # @return [Symbol] see {Lifecycle::TRANSITIONS}
      def status = @lifecycle.state

      # @return [Object, nil] what it ended by
      def reason = @lifecycle.reason

      # @return [Message, nil] which it handles, or handled last
      def current = @execution.current

      def alive? = @lifecycle.alive?

      def dead? = @lifecycle.dead?

      # @return [Boolean] whether it has no object and nobody executes it
      def at_rest? = @lock.hold { @lifecycle.at_rest? }

      # @return [Boolean] whether a supervisor restarts it
      def supervised? = @parent.respond_to?(:supervisor)

      # @return [String, nil]
      def class_name = actor_class.name

      # @return [Numeric, nil] seconds
      def call_timeout = @settings.call_timeout

      # @return [Symbol] the status, as far as it is known without a request
      def known_status = status

      # (see Remote::Proxy#via_uplink?)
      def via_uplink? = false

      # @return [String] for people
      def label = "#{actor_class.name || "Actor"}##{@id}#{" #{@name.inspect}" if @name}"

      # @return [Symbol] :actor or :supervisor
      def kind = actor_class.raffia_kind

      # @return [Integer] how many messages wait or are underway
      def backlog
        current = self.current # once: it may be finished meanwhile
        @mailbox.size + ((current.nil? || current.over?) ? 0 : 1)
      end

      def stats
        {status: status, on: @settings.on, mailbox: @mailbox.size, handled: @execution.handled,
         dropped: @mailbox.dropped, restarts: @lifecycle.restarts}
      end

      def links = @links || @lock.hold { @links ||= Links.new(self) }

      def timers = @timers || @lock.hold { @timers ||= Timers.new(self) }

      # (see Timers#start)
      def start_timer(seconds, repeat, &) = timers.start(seconds, repeat, &)

      def subscribe(pattern, handler)
        Topics.current.subscribe(self, Topics::Pattern.check(pattern), handler)
      end

      def unsubscribe(pattern)
        Topics.current.unsubscribe(self, pattern && Topics::Pattern.check(pattern))
      end

      # @param answer [Answer] that the object gives later
      # @return [Answer]
      def defer(answer)
        @lock.hold { (@deferred ||= {}.compare_by_identity)[answer] = true } && answer
      end

      def forget_deferred(answer) = @lock.hold { @deferred&.delete(answer) }

      # Puts a message in by the block, which runs under the lock.
      # @yieldreturn [Boolean] whether it was put in
      # @return [Boolean] the same
      def insert
        idle = @lock.hold do
          return false unless yield

          @lifecycle.acquire_running
        end
        wake if idle
        true
      end

      # Runs the block as work of the actor, before the messages that wait.
      # @param message [Message, nil] instead of a block
      def urge(message = nil, &block)
        insert do
          # A block is meant for the object that is there now. A message of a supervisor's child
          # may come while the next object is made, and is meant for that.
          next if dead? || (status == :restarting && message.nil?)

          @mailbox.urge(message || SystemMessage.new(self, block))
        end
      end

      # Makes the object, and waits for that.
      # @return [Ref]
      # @raise [Exception] what `initialize` or `on_start` raised: then there is no actor
      def start
        error = Startup.new(self).first or return ref
        raise error
      end

      # Makes another object, which takes over the messages that wait. The parent calls this after
      # {#ended}.
      # @return [Exception, nil] why there is none; the actor is :restarting as before, or dead
      def restart
        return Startup.new(self).call if @lock.hold { @lifecycle.restart }

        ActorDied.new(ref: ref, reason: reason)
      end

      private

      def build_execution = Execution.new(self)
    end
  end
end
