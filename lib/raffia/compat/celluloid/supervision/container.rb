# frozen_string_literal: true

module Celluloid
  module Supervision
    # An actor that supervises others: it begins them, and puts a fresh one in the place of each that fails.
    class Container
      include Celluloid

      trap_exit :restart_actor
      finalizer :finalize
      execute_block_on_receiver :initialize, :supervise, :supervise_as

      class << self
        # @return [Configuration]
        def define(options) = Configuration.define(top(options))

        # @return [Proxy::Cell]
        def deploy(options) = Configuration.deploy(top(options))

        # @api private
        def top(options)
          {as: options[:as], type: options[:type] || self, branch: options[:branch] || :services, supervise: options[:supervise] || []}
        end

        # What all containers of this class supervise.
        # @return [Array<Proc>]
        def blocks = instance_variable_get(:@blocks) || instance_variable_set(:@blocks, [])

        # Says what all containers of this class supervise.
        def supervise(config, &block) = blocks << ->(container) { container.supervise(config, &block) }

        # The same for a pool.
        def pool(klass, config = {}, &block) = blocks << ->(container) { container.pool(klass, config, &block) }

        # Begins one.
        # @return [Proxy::Cell]
        def run!(options = {}) = new(options) { |container| blocks.each { |block| block.call(container) } }

        # Begins one, and another whenever it fails. Does not return.
        def run(options = {})
          loop do
            Actor.join(run!(options))
            Internals::Logger.error("!!! Celluloid::Supervision::Container #{self} crashed. Restarting...")
            ::Kernel.sleep(1)
          end
        end
      end

      attr_accessor :registry

      # @param options [Hash, Internals::Registry] registry:, branch:
      def initialize(options = {})
        options = {registry: options} if options.is_a?(Internals::Registry)
        @actors = []
        @begins = 0
        @early = {}
        @registry = options[:registry] || Celluloid.actor_system.registry
        @branch = options[:branch] || :services
        yield current_actor if block_given?
      end

      # @return [Proxy::Cell] this container
      def add(configuration)
        Configuration.valid?(configuration, true)
        add_accessor(configuration[:as]) if configuration[:as]
        @actors << (instance = begin_instance({**configuration, registry: @registry, branch: configuration[:branch] || @branch}))
        restart_actor(instance.actor, @early.delete(instance.actor)) if @early.key?(instance.actor)
        Actor.current
      end

      # @return [Proxy::Cell] this container
      def supervise(config, &block) = add(Configuration.options(config, block ? {block: block} : {}))

      # Ends one, for good.
      def remove(actor)
        actor = @registry[actor] if actor.is_a?(Symbol)
        find(actor)&.terminate
      end

      # @return [Array<Proxy::Cell>]
      def actors = @actors.map(&:actor)

      def find(actor) = @actors.find { |instance| instance.actor.eql?(actor) }

      # @return [Proxy::Cell, nil]
      def [](name) = @registry[name]

      def shutdown
        @down = true
        finalize
      end

      # One has ended: by an error, if there is a reason.
      def restart_actor(actor, reason)
        instance = find(actor)
        return if @down || (instance.nil? && @begins.zero?)
        return @early[actor] = reason if instance.nil?
        return forget(instance) unless reason

        delay = instance.delay or return give_up(instance, reason)
        delay.zero? ? restart(instance) : after(delay) { restart(instance) }
      end

      private

      # While this waits for its `initialize`, it may have failed already.
      def begin_instance(configuration)
        @begins += 1
        Instance.new(configuration)
      ensure
        @begins -= 1
      end

      # One that cannot even begin is tried again later.
      def restart(instance)
        return if @down || !@actors.include?(instance)

        exclusive { instance.restart }
      rescue => error
        delay = instance.delay or return give_up(instance, error)
        after([delay, Backoff::FIRST].max) { restart(instance) }
      end

      def give_up(instance, reason)
        Internals::Logger.error("#{instance.actor.inspect} is not started any more, it fails too often: #{reason.inspect}")
        forget(instance)
      end

      def forget(instance)
        instance.cleanup
        @actors.delete(instance)
      end

      def add_accessor(name)
        self.class.define_method(name) { @registry[name] } unless respond_to?(name)
      end

      def finalize
        @down = true
        @actors&.reverse_each(&:terminate)
        @actors = []
      end
    end
  end
end
