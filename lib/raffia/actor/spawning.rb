# frozen_string_literal: true

module Raffia
  class Actor
    # What the class of an actor can do.
    module Spawning
      # What is not for `initialize`.
      OWN = [*Settings.members, :name, :link].freeze

      # Makes an actor, and waits until its `initialize` and `on_start` have run.
      #
      # @option keywords [Symbol] :on where its methods run; this and all other members of
      #   {Settings} can be given here
      # @option keywords [Symbol, String, nil] :name under which {[]} finds it
      # @option keywords [Boolean] :link whether it is linked with the actor that spawns it
      # @return [Ref]
      # @raise [ConfigError]
      # @raise [Rejected] when a living actor has the name
      # @raise [Exception] what `initialize` or `on_start` raised: then there is no actor
      def spawn(*arguments, **keywords, &block)
        return raffia_spawn(raffia_factory(arguments, keywords, block)) if keywords.empty?

        raffia_spawn(raffia_factory(arguments, keywords.except(*OWN), block),
          **keywords.slice(*OWN))
      end

      # Says once how all actors of this class, and of its subclasses, are kept.
      # @param given [Hash] see {Settings}
      # @return [Settings] all that is set
      # @raise [ConfigError]
      def options(**given)
        return raffia_settings if given.empty?

        @raffia_settings = raffia_settings.merge(given)
      end

      # Methods that may run while the actor waits, in another of its methods, for the one who calls
      # them.
      # @return [void]
      def reentrant(*names) = options(reentrant: options.reentrant | names)

      # @return [Settings]
      # @api private
      def raffia_settings
        @raffia_settings || ((self == Actor) ? Settings::DEFAULT : superclass.raffia_settings)
      end

      # @return [ObjectFactory] what its objects are made of
      # @api private
      def raffia_factory(arguments, keywords, block)
        ObjectFactory.new(self, arguments, keywords, block)
      end

      # @api private
      def raffia_spawn(factory, name: nil, link: false, parent: nil, host: Host.current, **given)
        core = ActorCore.new(factory, raffia_settings.merge(given), host, name, parent)
        Registry.current.claim(name, core.ref) if name
        core.start
        Message.current&.core&.link(core) if link
        core.ref
      end
    end

    extend Spawning

    class << self
      # Seconds that {shutdown} waits when nothing else is said.
      GRACE = 10

      # Ends the actors that were spawned outside of {Raffia.run}: their methods are broken off, and
      # their `on_stop` runs. It happens by itself when the process ends. Others can be spawned
      # afterwards.
      # @param timeout [Numeric, nil] seconds; actors that have not ended by then are left to
      #   themselves. nil: it waits for all
      # @return [Boolean] whether all have ended
      # @raise [ConfigError]
      def shutdown(timeout = GRACE)
        Deadline.seconds(timeout) if timeout
        Host::Background.current.close(timeout).tap { Places::Threads.shared.close }
      end

      # @return [#error] where errors go that nobody waits for
      def log = logs[:log] ||= Log.build(Raffia.config)

      # Tells the log of an error. Where a process or thread ends there may be no way to do so any
      # more, and that must not be the next error.
      # @return [void]
      # @api private
      def log_error(what, error)
        # To put together what nobody reads costs more than a restart.
        log.error("#{what}: #{Log.full(error)}") unless log.respond_to?(:error?) && !log.error?
      rescue Exception # standard:disable Lint/RescueException
        nil
      end

      # @param logger [#error]
      def log=(logger)
        logs[:log] = logger
      end

      # @return [Ref, nil] the actor of this name
      def [](name) = Registry.current[name] || Remote::Node.current.uplink&.ask(nil, :lookup, name)

      # @return [Array<Symbol, String>] the names of the actors that have one
      def names = Registry.current.names

      # @return [Ref, nil] the actor that the running code is work of
      def current = Message.current&.core&.ref

      private

      def logs = RactorLocal.fetch(:raffia_actor_log) { {} }
    end
  end
end
