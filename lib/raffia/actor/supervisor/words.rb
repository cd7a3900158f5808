# frozen_string_literal: true

module Raffia
  class Supervisor
    # What the class of a supervisor can say.
    module Words
      # What a supervisor itself does takes no time.
      PLACE = Actor::Settings::DEFAULT_PLACE
      private_constant :PLACE

      # How all supervisors of this class keep their children.
      # @param name [Symbol] :one_for_one, :one_for_all or :rest_for_one
      # @param settings [Hash] intensity:, period:, backoff:, max_backoff:, auto_shutdown:, see
      #   {Plan}
      # @return [void]
      # @raise [ConfigError]
      def strategy(name, **settings) = @raffia_plan = raffia_plan.with(strategy: name, **settings)

      # One more child, which is started after those before it.
      #
      # @param actor_class [Class, nil] an actor or supervisor; nil: the block is what it does
      # @param arguments [Array] for its `initialize`
      # @option keywords [Object] :id by which the supervisor finds it; its name or class, where
      #   nothing is said
      # @option keywords [Symbol] :restart :permanent: whenever it has ended; :transient: when it
      #   has failed; :temporary: never
      # @option keywords [Numeric, Symbol] :shutdown seconds that it has to end when it is told to,
      #   then it is killed; :infinity; :brutal_kill
      # @option keywords [Integer, Hash] :pool so many of them behind one ref; a Hash has size: and
      #   the other words of {Actor::Pooling#pool}
      # @option keywords [Boolean] :significant see {Plan#auto_shutdown}
      # @param keywords [Hash] the other ones are for the actor, as `spawn` takes them
      # @return [void]
      # @raise [ConfigError]
      def child(actor_class = nil, *arguments, **keywords, &block)
        @raffia_plan = raffia_plan.plus(Spec.build(actor_class, arguments, keywords, block))
        nil
      end

      # @return [Plan]
      # @api private
      def raffia_plan = @raffia_plan || ((self == Supervisor) ? Plan.new : superclass.raffia_plan)

      # A block gets a class of supervisors that is made for the occasion, to say more of its
      # children.
      # @yieldparam words [Words]
      # @api private
      def raffia_factory(arguments, keywords, block)
        unless arguments.empty?
          raise ArgumentError, "a supervisor takes no arguments of its own, but settings: " \
            "#{Plan::SETTINGS.join(", ")}"
        end
        unknown = keywords.keys - Plan::SETTINGS
        unless unknown.empty?
          raise ConfigError, "a supervisor has no option #{unknown.first}: use " \
            "#{Plan::SETTINGS.join(", ")}"
        end

        draft = Draft.new(raffia_plan.with(**keywords))
        block&.call(draft)
        Blueprint.new(self, draft.raffia_plan)
      end

      # @api private
      def raffia_spawn(factory, on: PLACE, **given)
        unless on == PLACE
          raise ConfigError, "a supervisor is on #{PLACE.inspect}: it is its children that can " \
            "be on #{on.inspect}"
        end

        super(factory, mailbox: nil, **given)
      end

      # What one supervisor says, and no other of its class.
      class Draft
        include Words

        # @return [Plan]
        attr_reader :raffia_plan

        def initialize(plan)
          @raffia_plan = plan
        end
      end
      private_constant :Draft
    end
  end
end
