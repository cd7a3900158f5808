# frozen_string_literal: true

module Raffia
  class Actor
    # An actor, for whoever wants something of it. A method that the actor's class has is called
    # there, and its value returned; those of the ref itself are few, and {call} reaches a method of
    # the actor's that is named like one of them. Refs are equal when they mean the same actor, and
    # can be kept, passed on and used after the actor's end.
    class Ref
      # Key in the fiber's storage of the {Remote::Connection} that dumps or loads refs.
      # @api private
      CONNECTION = :raffia_actor_connection

      # @param core [ActorCore]
      # @api private
      def initialize(core)
        @core = core
      end

      # Calls a method of the actor's and waits for what it returns. The caller's {Raffia.deadline}
      # holds there, too.
      # @return [Object]
      # @raise [ActorDied] when it has ended, or ends before it answers
      # @raise [TimeoutError] when the actor's call_timeout is over
      # @raise [CallCycle] when the actor waits for the caller
      # @raise [Full] when there is no room in its mailbox, and it does not let its senders wait
      # @raise [NoMethodError, ArgumentError]
      # @raise [Exception] what the method raised
      def call(name, *arguments, **keywords, &block)
        @core.call(name, arguments, keywords.empty? ? nil : keywords, block)
      end

      # @return [Async] whose methods are those of the actor's, and do not wait for its answer
      # @example
      #   mailer.async.deliver(1)
      def async = Async.new(@core)

      # @return [Promise] whose methods are those of the actor's, and return a {Future}
      # @example
      #   sent = mailer.future.deliver(1)
      #   sent.value
      def future = Promise.new(@core)

      # Lets it finish what it does, and what waited before this; then it ends.
      # @param reason [Object, nil] for those who are linked with it; :normal does not end them
      # @return [Boolean] whether it had not ended
      def stop(reason = :normal) = @core.stop(reason)

      # Ends it where it waits. What becomes of code that only computes depends on where it runs:
      # fibers go on up to their next wait, threads are interrupted, processes are killed, Ractors
      # are left alone.
      # @param reason [Object, nil]
      # @return [Boolean] whether it had not ended
      def kill(reason = :killed) = @core.kill(reason)

      # Waits for its end.
      # @param timeout [Numeric, nil] seconds
      # @return [Ref, nil] nil when it has not ended in time
      def join(timeout = nil) = @core.join(timeout) && self

      # @return [Boolean] whether it takes messages
      def alive? = @core.alive?

      # @return [Symbol] :running, :restarting, :stopping or :dead
      def status = @core.status

      # @return [Object, nil] what it ended by
      def reason = @core.reason

      # @return [Class] the actor's
      def actor_class = @core.actor_class

      # @return [Symbol, String, nil] under which {Actor.[]} finds it
      def name = @core.name

      # @return [Integer] unique in this process
      def id = @core.id

      # @return [Hash] mailbox:, handled:, dropped:, restarts:, status:, on:
      def stats = @core.stats

      # @return [Boolean]
      def ==(other) = other.is_a?(Ref) && other.id == id
      alias_method :eql?, :==

      # @return [Integer]
      def hash = id.hash

      # @return [String]
      def inspect = "#<#{@core.label} #{@core.known_status}>"
      alias_method :to_s, :inspect

      # @return [ActorCore]
      # @api private
      def raffia_core = @core

      # The actor is to be asked elsewhere from now on.
      # @api private
      def raffia_move(core) = @core = core

      # A ref can go where its actor, or another that holds it, can be asked.
      # @raise [NotDumpable] anywhere else
      # @api private
      def _dump(_depth)
        connection = Fiber[CONNECTION] or raise NotDumpable,
          "#{inspect} cannot be dumped: a ref can be handed to actors, wherever they live, " \
          "and returned by them; elsewhere hand over its name"
        Marshal.dump(connection.names.describe(self))
      end

      # @return [Ref]
      # @api private
      def self._load(data)
        connection = Fiber[CONNECTION] or raise NotDumpable,
          "this ref comes from a conversation between actors, and means nothing outside of it"
        connection.names.recognise(Marshal.load(data)).ref # standard:disable Security/MarshalLoad
      end

      private

      def method_missing(name, *arguments, **keywords, &block)
        @core.call(name, arguments, keywords.empty? ? nil : keywords, block)
      end

      def respond_to_missing?(name, _all = false) = @core.interface.include?(name)

      # An actor's methods, called without waiting for what they return. An error there ends the
      # actor all the same.
      class Async < BasicObject
        def initialize(core)
          @core = core
        end

        def method_missing(name, *arguments, **keywords,
          &block) # standard:disable Style/MissingRespondToMissing
          @core.tell(name, arguments, keywords.empty? ? nil : keywords, block)
          nil
        end

        def respond_to?(name, _all = false) = @core.interface.include?(name)

        # @return [String]
        def inspect = "#<#{@core.label} async>"
      end

      # An actor's methods, which return a {Future} each.
      class Promise < BasicObject
        def initialize(core)
          @core = core
        end

        def method_missing(name, *arguments, **keywords,
          &block) # standard:disable Style/MissingRespondToMissing
          @core.ask(name, arguments, keywords.empty? ? nil : keywords, block)
        end

        def respond_to?(name, _all = false) = @core.interface.include?(name)

        # @return [String]
        def inspect = "#<#{@core.label} future>"
      end
    end
  end
end
