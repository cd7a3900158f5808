# frozen_string_literal: true

module Raffia
  class Actor
    # Class methods of actors: spawn, pool, and the settings of the class.
    module ClassMethods
      # Keywords of `spawn` that are not for `initialize`.
      SPAWN_KEYWORDS = [*Settings.members, :name, :link].freeze

      # Makes an actor, and waits until its `initialize` and `on_start` have run.
      #
      # @option keywords [Symbol] :on where its methods run; or any other member of {Settings}
      # @option keywords [Symbol, String, nil] :name under which {[]} finds it
      # @option keywords [Boolean] :link whether it is linked with the actor that spawns it
      # @return [Ref]
      # @raise [ConfigError]
      # @raise [Rejected] when a living actor has the name
      # @raise [Exception] what `initialize` or `on_start` raised: then there is no actor
      def spawn(*arguments, **keywords, &block)
        return raffia_spawn(raffia_factory(arguments, keywords, block)) if keywords.empty?

        raffia_spawn(raffia_factory(arguments, keywords.except(*SPAWN_KEYWORDS), block),
          **keywords.slice(*SPAWN_KEYWORDS))
      end

      # Sets defaults for all actors of this class and of its subclasses.
      # @param given [Hash] see {Settings}
      # @return [Settings] all that is set
      # @raise [ConfigError]
      def options(**given)
        return raffia_settings if given.empty?

        @raffia_settings = raffia_settings.merge(given)
      end

      # Lets methods run while the actor waits, in another of its methods, for their caller.
      def reentrant(*names) = options(reentrant: options.reentrant | names)

      # @api private
      def raffia_settings
        @raffia_settings || ((self == Actor) ? Settings::DEFAULT : superclass.raffia_settings)
      end

      # @api private
      def raffia_kind = :actor

      # @api private
      def raffia_factory(arguments, keywords, block)
        ObjectFactory.new(self, arguments, keywords, block)
      end

      # @api private
      def raffia_spawn(factory, name: nil, link: false, parent: nil,
        group: BackgroundLoop.group_of_caller,
        **given)
        raffia_start(ActorCore.new(factory, raffia_settings.merge(given), group, name, parent),
          link)
      end

      # Makes several actors behind one ref, which sends each call to one of them. A worker that
      # fails is restarted, with the messages that waited. {Settings} are those of each worker.
      #
      # @example
      #   mailer = Mailer.pool(size: 10, on: :threads)
      #   mailer.deliver(1)                                       # the least busy worker
      #   accounts = Account.pool(size: 4, key: :first_argument)  # always the same for an account
      #
      # @param size [Integer] how many; {PoolRef#resize} changes it
      # @param route [Symbol, #call] :least_busy (the fewest messages waiting and underway),
      #   :round_robin, or a proc that returns a key for a method's name and its arguments. Calls
      #   with one key go to one worker, in their order; those without a key go to any
      # @param key [:first_argument, #call, nil] a route by keys
      # @param name [Symbol, String, nil] under which {[]} finds the pool
      # @param link [Boolean] whether the pool is linked with the actor that makes it
      # @param keywords [Hash] members of {Settings}; the others are for `initialize`
      # @return [PoolRef]
      # @raise [ConfigError]
      # @raise [Rejected] when a living actor has the name
      # @raise [Exception] what `initialize` or `on_start` raised: then there is no pool
      def pool(*arguments, size:, route: nil, key: nil, name: nil, link: false, **keywords, &block)
        given = keywords.slice(*Settings.members)
        factory = ObjectFactory.new(self, arguments, keywords.except(*Settings.members), block)
        raffia_pool(factory, size: size, route: PoolRoutes.find(route, key), name: name, link: link,
          **given)
      end

      # @api private
      def raffia_pool(factory, size:, route:, name: nil, link: false, parent: nil,
        group: BackgroundLoop.group_of_caller, **given)
        factory = PoolFactory.new(factory, PoolManager.count(size), raffia_settings.merge(given))
        raffia_start(PoolCore.new(factory, route, group, name, parent), link)
      end

      private

      def raffia_start(core, link)
        Registry.current.claim(core.name, core.ref) if core.name
        core.start
        Message.current&.core&.link(core) if link
        core.ref
      end
    end

    extend ClassMethods
  end
end
