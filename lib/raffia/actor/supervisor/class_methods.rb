# frozen_string_literal: true

module Raffia
  class Actor
    class Supervisor
      # Class methods of supervisors: strategy and children.
      module ClassMethods
        # Supervisors do not block.
        EXECUTOR = Actor::Settings::DEFAULT_EXECUTOR
        private_constant :EXECUTOR

        # Sets strategy and limits of all supervisors of this class.
        # @param name [Symbol] :one_for_one, :one_for_all or :rest_for_one
        # @param settings [Hash] intensity:, period:, backoff:, max_backoff:, auto_shutdown:, see
        #   {Spec}
        # @raise [ConfigError]
        def strategy(name, **settings) = @raffia_spec = raffia_spec.with(strategy: name, **settings)

        # Adds a child, which starts after those before it.
        #
        # @param actor_class [Class, nil] an actor or supervisor; nil: the block is what it does
        # @param arguments [Array] for its `initialize`
        # @option keywords [Object] :id by which the supervisor finds it; default: name or class
        # @option keywords [Symbol] :restart :permanent: after each end; :transient: after a
        #   failure; :temporary: never
        # @option keywords [Numeric, Symbol] :shutdown seconds that it has to end before it is
        #   killed; :infinity; :brutal_kill
        # @option keywords [Integer, Hash] :pool the size of a pool; a Hash has size: and the other
        #   keywords of {Actor::ClassMethods#pool}
        # @option keywords [Boolean] :significant see {Spec}: auto_shutdown
        # @param keywords [Hash] the other ones are for the actor, as `spawn` takes them
        # @raise [ConfigError]
        def child(actor_class = nil, *arguments, **keywords, &block)
          @raffia_spec = raffia_spec.plus(ChildSpec.build(actor_class, arguments, keywords, block))
          nil
        end

        # @api private
        def raffia_spec
          @raffia_spec ||
            (superclass.respond_to?(:raffia_spec) ? superclass.raffia_spec : Spec.new)
        end

        # @api private
        def raffia_kind = :supervisor

        # Yields a builder for the spec of this one supervisor.
        # @api private
        def raffia_factory(arguments, keywords, block)
          unless arguments.empty?
            raise ArgumentError, "a supervisor takes no arguments of its own, but settings: " \
              "#{Spec::SETTINGS.join(", ")}"
          end
          unknown = keywords.keys - Spec::SETTINGS
          unless unknown.empty?
            raise ConfigError, "a supervisor has no option #{unknown.first}: use " \
              "#{Spec::SETTINGS.join(", ")}"
          end

          builder = Builder.new(raffia_spec.with(**keywords))
          block&.call(builder)
          Factory.new(self, builder.raffia_spec)
        end

        # @api private
        def raffia_spawn(factory, on: EXECUTOR, **given)
          unless on == EXECUTOR
            raise ConfigError,
              "a supervisor is on #{EXECUTOR.inspect}: it is its children that can " \
              "be on #{on.inspect}"
          end

          super(factory, mailbox: nil, **given)
        end

        # Builds the spec of one supervisor, in the block that it is spawned with.
        class Builder
          include ClassMethods

          # @return [Spec]
          attr_reader :raffia_spec

          def initialize(spec)
            @raffia_spec = spec
          end
        end
        private_constant :Builder
      end
    end
  end
end
