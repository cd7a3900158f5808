# frozen_string_literal: true

require_relative "pool_workers"

module Celluloid
  module Supervision
    class Container
      # Pool of actors: each call goes to an idle worker, or waits for one. A worker that crashes is
      # replaced, and its caller gets the error.
      class Pool
        include Celluloid
        include Behavior
        include PoolWorkers

        trap_exit :__crash_handler__
        finalizer :__shutdown__

        identifier! :size, :pool
        configuration { |options| options }

        def self.raffia_cell_class = PoolCell

        def self.pooling_options(config = {}, mixins = {})
          own = {**config, **mixins}.slice(:block, :actors, :size, :args)
          {type: Pool, **config.except(:size, :args), **mixins.except(:block, :actors), args: [own]}
        end

        attr_reader :size
        attr_reader :actors

        # Options: actors: their class, size:, args:, block:.
        def initialize(options = {})
          @klass = options[:actors]
          @size = options[:size] || [Celluloid.cores, 2].max
          @args = options[:args]
          @block = options[:block]
          @idle = []
          @busy = []
          @freed = Condition.new
          @actors = Set.new
          @starting = 0
          @backoff = Backoff.new
          __spawn_actor__ while __wanting__?
        end

        def _send_(name, *arguments, **keywords, &block)
          actor = __provision_actor__
          actor._send_(name, *arguments, **keywords, &block)
        rescue ::Raffia::Cancel, ::SystemExit
          raise
        rescue Exception => error # standard:disable Lint/RescueException
          raise if Actor.cell!.status != :running

          abort(error)
        ensure
          __release_actor__(actor) if actor
        end

        %i[name to_s inspect].each { |name| define_method(name) { _send_(name) } }
        %i[is_a? kind_of?].each { |name| define_method(name) { |klass| _send_(name, klass) } }

        def methods(all = true) = _send_(:methods, all)

        def size=(size)
          @size = [0, size].max
          __spawn_actor__ while __wanting__?
          __retire__ while @actors.size > @size
        rescue ::StandardError, ::ScriptError => error
          abort(error)
        end

        def busy_size = @busy.size

        def idle_size = @idle.size

        def __idle?(actor) = @idle.include?(actor)

        def __busy?(actor) = @busy.include?(actor)

        def respond_to?(name, all = false)
          super || @klass.public_method_defined?(name) ||
            (all && @klass.private_method_defined?(name))
        end

        # A call is checked against the method of the class before it takes an actor.
        def method(name)
          super
        rescue NameError
          @klass.instance_method(name)
        end

        private

        def method_missing(name, *arguments, **keywords, &block)
          respond_to?(name) ? _send_(name, *arguments, **keywords, &block) : super
        end

        def respond_to_missing?(name, all = false) = @klass.public_method_defined?(name)

        def __shutdown__
          @actors&.each { |actor| Actor.cell(actor).terminate }
          @actors&.each { |actor| Actor.join(actor) }
        end
      end

      def pool(klass, config = {}, &block)
        admit { Configuration.options(Pool.pooling_options(config, block: block, actors: klass)) }
          .actor
      end
    end
  end

  module ClassMethods
    def pool(config = {}, &block) = Celluloid.services.pool(self, config, &block)

    def pool_link(config = {}, &block)
      Supervision::Container::Pool.new_link({**config, actors: self, block: block}.compact)
    end
  end
end
