# frozen_string_literal: true

module Raffia
  class Actor
    # Reference to an actor. The methods of its class are called on the ref; {call} reaches one that
    # is named like a method of the ref itself. Refs of one actor are equal, and stay valid after
    # its end.
    class Ref
      # Key in the fiber's storage of the {Remote::Connection} that dumps or loads refs.
      # @api private
      CONNECTION = :raffia_actor_connection

      # @api private
      def initialize(core)
        @core = core
      end

      # Calls a method and waits for its answer. The caller's {Raffia.deadline} holds there, too.
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

      # The actor's methods, without waiting for answers: `mailer.async.deliver(1)`.
      # @return [AsyncProxy]
      def async = AsyncProxy.new(@core)

      # The actor's methods, each of which returns a {Future}: `mailer.future.deliver(1).value`.
      # @return [FutureProxy]
      def future = FutureProxy.new(@core)

      # Ends the actor after the messages that wait.
      # @param reason [Object, nil] for linked actors; :normal does not end them
      # @return [Boolean] whether it had not ended
      def stop(reason = :normal) = @core.stop(reason)

      # Ends the actor where it waits. Code that only computes goes on to its next wait in a fiber,
      # is interrupted in a thread, killed with a process, and left alone in a Ractor.
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

      # @api private
      def raffia_core = @core

      # Redirects the ref to another core.
      # @api private
      def raffia_move(core) = @core = core

      # Dumps the ref for a {Remote::Connection}; outside of one it raises NotDumpable.
      # @api private
      def _dump(_depth)
        connection = Fiber[CONNECTION] or raise NotDumpable,
          "#{inspect} cannot be dumped: a ref can be handed to actors, wherever they live, " \
          "and returned by them; elsewhere hand over its name"
        Marshal.dump(connection.names.describe(self))
      end

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

      # Turns calls of the actor's methods into messages.
      #
      # @api private
      class MessageProxy < BasicObject
        def initialize(core)
          @core = core
        end

        def respond_to?(name, _all = false) = @core.interface.include?(name)
      end
      private_constant :MessageProxy

      # An actor's methods, called without waiting for what they return. An error there ends the
      # actor all the same.
      class AsyncProxy < MessageProxy
        # Sends the message of this name.
        def method_missing(name, *arguments, **keywords,
          &block) # standard:disable Style/MissingRespondToMissing
          @core.tell(name, arguments, keywords.empty? ? nil : keywords, block)
          nil
        end

        # @return [String]
        def inspect = "#<#{@core.label} async>"
      end

      # An actor's methods, which return a {Future} each.
      class FutureProxy < MessageProxy
        # Sends the message of this name.
        def method_missing(name, *arguments, **keywords,
          &block) # standard:disable Style/MissingRespondToMissing
          @core.ask(name, arguments, keywords.empty? ? nil : keywords, block)
        end

        # @return [String]
        def inspect = "#<#{@core.label} future>"
      end
    end
  end
end
