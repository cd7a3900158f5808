# frozen_string_literal: true

module Raffia
  class Actor
    # Functions of {Actor} for all actors of the process: names, topics, sockets, introspection.
    module ActorSystem
      # Ends the actors that were spawned outside of {Raffia.run}: it interrupts their methods and
      # runs `on_stop`. The end of the process does the same. Others can be spawned afterwards.
      # @param timeout [Numeric, nil] seconds, after which actors are left to themselves; nil: it
      #   waits for all
      # @return [Boolean] whether all have ended
      # @raise [ConfigError]
      def shutdown(timeout = BackgroundLoop::GRACE)
        Deadline.seconds(timeout) if timeout
        BackgroundLoop.current.close(timeout)
      end

      # @return [Ref, nil] the actor of this name
      def [](name) = Remote::Node.current.lookup(name)

      # @return [Array<Symbol, String>] of the actors that have names
      def names = Registry.current.names

      # @return [Ref, nil] the actor that runs the calling code
      def current = Message.current&.core&.ref

      # Sends a message to each subscriber of the topic. It waits only for a full mailbox that lets
      # its senders wait.
      #
      #   Raffia::Actor.publish("orders.new", order)
      #
      # @param topic [String, Symbol] words, with dots between them
      # @param data [Array] for the subscribers' methods or blocks, after the topic
      # @return [Integer] how many took it
      # @raise [ConfigError]
      def publish(topic, *data, **keywords)
        Topics.current.publish_everywhere(topic, data, keywords)
      end

      # @return [Hash{String => Hash}] for each pattern: how many subscribers: it has, and how many
      #   messages were delivered: and dropped:
      def topics = Topics.current.stats

      # Actors of this process, children and workers under their {Supervisor}s and pools. No actor
      # is asked, so it works when one hangs.
      #
      # @return [Array<Hash>] each with :id, :name, :class, :kind (:supervisor, :pool, :actor),
      #   :status, :on, :mailbox (messages that wait), :handled, :restarts, :doing (the method that
      #   runs, or nil), :error (what its last object failed by, or nil) and :children
      def tree = Tree.new.to_a

      # Shows the actors of this process to `raffia top` of the same user, as RAFFIA_TOP=on does.
      # @return [IntrospectionSocket]
      # @raise [ConfigError] when the folder for its socket belongs to another user
      def observe = IntrospectionSocket.open

      # Lets other processes of the same user call the actors of this one that have names, and those
      # that they get refs of. They can wait for an actor's end; they cannot stop it.
      #
      # Marshal loads what comes through the socket, so a peer might as well run code here. The file
      # is for its owner only, and a process of another user is turned away.
      # @param address [String] "unix:///path/of/the/socket"; a file without a listener is replaced
      # @return [Listener] to be closed
      # @raise [ConfigError]
      # @raise [Rejected] when another process listens there
      # @raise [SystemCallError] when the file cannot be made
      def listen(address) = Listener.new(Remote::Address.of(address))

      # An actor of another process that listens. It is looked up by the first call, and again when
      # it has ended: it may start later than this, and restart.
      # @param address [String] "unix:///path/of/the/socket"
      # @param name [Symbol, String] its name there
      # @return [Ref] whose calls raise {ActorDied} when nobody listens, or the other process ends;
      #   the next call connects again
      # @raise [ConfigError]
      def at(address, name) = Remote::NamedProxy.new(Remote::Address.of(address), name).ref
    end

    extend ActorSystem
  end
end
