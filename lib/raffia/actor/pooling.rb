# frozen_string_literal: true

require_relative "pool_factory"
require_relative "pool_core"
require_relative "pool_manager"
require_relative "pool_ref"
require_relative "pool_routes"

module Raffia
  class Actor
    # Several actors of one class behind one ref.
    module Pooling
      # Makes so many actors, and a ref that sends what it is asked to one of them. One that fails
      # is replaced, and its successor finds the messages that waited. {Settings} are those of each
      # of them: it is their mailboxes that hold up whoever sends too much.
      #
      # @example
      #   mailer = Mailer.pool(size: 10, on: :threads)
      #   mailer.deliver(1)                                        # done by whoever has the least
      #   to do accounts = Account.pool(size: 4, key: :first_argument)   # an account is always
      #   looked after by the same one
      #
      # @param size [Integer] how many; {PoolRef#resize} makes them more or fewer
      # @param route [Symbol, #call] :least_busy (the fewest messages waiting and underway),
      #   :round_robin, or what returns a key for a method's name and its arguments: what has the
      #   same key goes to the same one, in its order. A key of nil means anyone
      # @param key [:first_argument, #call, nil] the same, for the usual case
      # @param name [Symbol, String, nil] under which {[]} finds the pool
      # @param link [Boolean] whether the pool is linked with the actor that makes it
      # @param keywords [Hash] members of {Settings}; all others are for `initialize`
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

      # @param parent [#ended, nil] who decides what becomes of a pool that has failed
      # @return [PoolRef]
      # @api private
      def raffia_pool(factory, size:, route:, name: nil, link: false, parent: nil,
        host: Host.current,
        **given)
        factory = PoolFactory.new(factory, PoolManager.count(size), raffia_settings.merge(given))
        core = PoolCore.new(factory, route, host, name, parent)
        Registry.current.claim(name, core.ref) if name
        core.start
        Message.current&.core&.link(core) if link
        core.ref
      end
    end

    extend Pooling
  end
end
