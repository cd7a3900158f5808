# frozen_string_literal: true

module Raffia
  class Actor
    class Supervisor
      # Specification of a child: actor, arguments, restart and shutdown.
      #
      # id:: by which the supervisor finds it
      # own:: its actor's {Settings}, and its name
      # pool:: what {ClassMethods#pool} takes, nil when it is no pool
      # restart:: :permanent, :transient or :temporary
      # shutdown:: seconds that it has to end; :infinity; :brutal_kill
      # significant:: whether its end may be its supervisor's, see {Spec}
      #
      # @api private
      ChildSpec = Data.define(:id, :named, :actor_class, :arguments, :keywords, :block, :own, :pool,
        :restart, :shutdown, :significant)

      class ChildSpec
        RESTARTS = %i[permanent transient temporary].freeze
        # Seconds, OTP's default.
        SHUTDOWN = 5
        CLEAN_EXITS = %i[normal shutdown].freeze
        ACTOR_KEYWORDS = (Actor::ClassMethods::SPAWN_KEYWORDS - [:link]).freeze
        CHILD_KEYWORDS = %i[id restart shutdown significant pool].freeze
        private_constant :RESTARTS, :SHUTDOWN, :CLEAN_EXITS, :ACTOR_KEYWORDS, :CHILD_KEYWORDS

        def self.build(actor_class, arguments, keywords, block)
          raise ConfigError, "a child is a class of actors, or a block" unless actor_class || block
          if actor_class && !(actor_class.is_a?(Class) && actor_class <= Actor)
            raise ConfigError, "#{actor_class.inspect} cannot be a child: give a class of " \
              "actors, or a block"
          end

          fill(actor_class || BlockActor, arguments, keywords, block)
        end

        def self.fill(actor_class, arguments, keywords, block)
          id, restart, shutdown, significant, pool = keywords.values_at(*CHILD_KEYWORDS)
          id ||= keywords[:name]
          new(
            id: id || actor_class.name || actor_class, named: !id.nil?, actor_class:, arguments:,
            keywords: keywords.except(*CHILD_KEYWORDS, *ACTOR_KEYWORDS), block:,
            own: keywords.slice(*ACTOR_KEYWORDS), pool: pool && pool(pool, actor_class),
            restart: restart(restart), shutdown: shutdown(shutdown, actor_class),
            significant: !!significant
          )
        end

        def self.pool(pool, actor_class)
          if supervisor?(actor_class) || actor_class == BlockActor
            raise ConfigError, "pool: is for a class of actors, not for " \
              "#{(actor_class == BlockActor) ? "a block" : actor_class}"
          end

          size, route, key = pool.is_a?(Hash) ? pool.values_at(:size, :route, :key) : pool
          {size: Actor::PoolManager.count(size), route: Actor::PoolRoutes.find(route, key)}
        end

        def self.restart(restart)
          return :permanent if restart.nil?

          Actor::Settings.one_of(:restart, restart, RESTARTS)
          restart
        end

        # A block handles no messages, so it cannot be asked to stop.
        def self.shutdown(shutdown, actor_class)
          case shutdown
          when nil then default(actor_class)
          when :infinity, :brutal_kill then shutdown
          else Deadline.seconds(shutdown)
          end
        end

        def self.default(actor_class)
          return :infinity if supervisor?(actor_class)

          (actor_class == BlockActor) ? :brutal_kill : SHUTDOWN
        end

        def self.supervisor?(actor_class) = actor_class.raffia_kind == :supervisor
        private_class_method :fill, :pool, :restart, :shutdown, :default

        alias_method :named?, :named
        alias_method :significant?, :significant

        def supervisor? = ChildSpec.supervisor?(actor_class)

        def restart?(reason)
          restart == :permanent || (restart == :transient && !CLEAN_EXITS.include?(reason))
        end

        def spawn(child, group)
          factory = actor_class.raffia_factory(arguments, keywords, block)
          given = {parent: child, group: group, **own}
          (pool ? actor_class.raffia_pool(factory, **pool, **given) :
            actor_class.raffia_spawn(factory, **given)).raffia_core
        end
      end
    end
  end
end
