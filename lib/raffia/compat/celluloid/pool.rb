# frozen_string_literal: true

module Celluloid
  module Supervision
    class Container
      # An actor that has others do what it is asked for: each call goes to one that has nothing to do, and waits until there is one. One that
      # crashes is replaced, and its caller gets the error.
      class Pool
        include Celluloid
        include Behavior

        trap_exit :__crash_handler__
        finalizer :__shutdown__

        identifier! :size, :pool
        configuration { |options| options }

        # @return [Hash] what a supervisor needs
        def self.pooling_options(config = {}, mixins = {})
          own = {**config, **mixins}.slice(:block, :actors, :size, :args)
          {type: Pool, **config.except(:size, :args), **mixins.except(:block, :actors), args: [own]}
        end

        # @return [Integer] how many there are
        attr_reader :size
        # @return [Set<Proxy::Cell>]
        attr_reader :actors

        # @param options [Hash] actors: their class, size:, args:, block:
        def initialize(options = {})
          @klass = options[:actors]
          @size = options[:size] || [Celluloid.cores, 2].max
          @args = options[:args]
          @block = options[:block]
          @idle = []
          @busy = []
          @actors = Set.new
          @size.times { @idle << __spawn_actor__ }
        end

        def _send_(name, *arguments, **keywords, &block)
          actor = __provision_actor__
          begin
            actor._send_(name, *arguments, **keywords, &block)
          rescue Interruption, DeadActorError => error
            raise error if Actor.cell!.status != :running

            abort(error)
          rescue => error
            abort(error)
          ensure
            __release_actor__(actor)
          end
        end

        %i[name to_s inspect].each { |name| define_method(name) { _send_(name) } }
        %i[is_a? kind_of?].each { |name| define_method(name) { |klass| _send_(name, klass) } }

        def methods(all = true) = _send_(:methods, all)

        # Makes the pool larger or smaller.
        def size=(size)
          size = [0, size].max
          (size - @size).times { @idle << __spawn_actor__ }
          (@size - size).times { __retire__(__provision_actor__) }
          signal(:actor_idle) if size > @size
          @size = size
        end

        def busy_size = @busy.size

        def idle_size = @idle.size

        def __idle?(actor) = @idle.include?(actor)

        def __busy?(actor) = @busy.include?(actor)

        def respond_to?(name, all = false) = super || @klass.public_method_defined?(name) || (all && @klass.private_method_defined?(name))

        # So that a call is checked against the method of the class before it takes an actor.
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

        def __spawn_actor__
          arguments, keywords = Internals.arguments(@klass, @args)
          @klass.new_link(*arguments, **keywords, &@block).tap { |actor| @actors << actor }
        end

        def __provision_actor__
          wait(:actor_idle) while @idle.empty?
          @idle.shift.tap { |actor| @busy << actor }
        end

        def __release_actor__(actor)
          return unless @busy.delete(actor) && actor.alive?

          @idle << actor
          signal(:actor_idle)
        end

        def __retire__(actor)
          unlink(actor)
          @busy.delete(actor)
          @actors.delete(actor)
          actor.terminate
        end

        def __crash_handler__(actor, reason)
          [@busy, @idle, @actors].each { |list| list.delete(actor) }
          return unless reason

          @idle << __spawn_actor__
          signal(:actor_idle)
        end

        def __shutdown__
          @actors&.each { |actor| actor.terminate! if actor.alive? }
          @actors&.each { |actor| Actor.join(actor) }
        end
      end

      # @return [Proxy::Cell] a pool of this container's
      def pool(klass, config = {}, &block) = supervise(Pool.pooling_options(config, block: block, actors: klass)).actors.last
    end
  end

  module ClassMethods
    # Makes a pool of actors of this class, under supervision: calls of the pool go to those that have nothing to do.
    # @param config [Hash] size:, args:, as:
    # @return [Proxy::Cell]
    def pool(config = {}, &block) = Celluloid.services.pool(self, config, &block)

    # The same, linked with the running actor instead.
    def pool_link(config = {}, &block)
      Supervision::Container::Pool.new_link({**config, actors: self, block: block}.compact)
    end
  end
end
