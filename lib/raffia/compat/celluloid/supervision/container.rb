# frozen_string_literal: true

module Celluloid
  module Supervision
    # An actor that supervises others: it starts them, and replaces each that fails.
    class Container
      include Celluloid

      trap_exit :restart_actor
      finalizer :finalize
      execute_block_on_receiver :initialize, :supervise, :supervise_as

      extend Definition

      attr_accessor :registry

      def initialize(options = {})
        options = {registry: options} if options.is_a?(Internals::Registry)
        @actors = []
        @starting = 0
        @early = {}
        @registry = options[:registry] || Celluloid.actor_system.registry
        @branch = options[:branch] || :services
        yield current_actor if block_given?
        @made = true
      end

      def add(configuration, options = {})
        return supervise({**options, type: configuration}) if configuration.is_a?(Class)

        admit { configuration } && Actor.current
      end

      def supervise(config, *more, &block)
        config = Supervision.config(config, *more) if config.is_a?(Class)
        admit { Configuration.options(config, block ? {block: block} : {}) } && Actor.current
      end

      def supervise_as(name, type, *arguments, &block)
        supervise({type: type, as: name, args: arguments}, &block)
      end

      def remove(actor)
        actor = @registry[actor] if Symbol === actor # a dead one could not be asked
        instance = find(actor) or return
        @actors.delete(instance)
        instance.terminate
      end

      def actors = @actors.map(&:actor)

      def find(actor) = @actors.find { |instance| instance.actor.eql?(actor) }

      def [](name) = @registry[name]

      def shutdown
        @down = true
        finalize
      end

      def restart_actor(actor, reason)
        instance = find(actor)
        return if @down || (instance.nil? && @starting.zero?)
        return @early[actor] = reason if instance.nil?
        return forget(instance) unless reason

        delay = instance.delay or return give_up(instance, reason)
        delay.zero? ? restart(instance) : after(delay) { restart(instance) }
      end

      private

      # An invalid configuration raises in the caller; the other actors continue.
      def admit
        configuration = yield
        Configuration.valid?(configuration, true)
        add_accessor(configuration[:as]) if configuration[:as]
        start_one do
          Instance.new({**configuration, registry: @registry,
            branch: configuration[:branch] || @branch}).tap { |instance| @actors << instance }
        end
      rescue AbortError
        raise
      rescue ::StandardError, ::ScriptError => error
        @made ? abort(error) : raise
      end

      # The actor may fail while this waits for its `initialize`.
      def start_one
        @starting += 1
        instance = yield
        restart_actor(instance.actor, @early.delete(instance.actor)) if @early.key?(instance.actor)
        instance
      ensure
        @starting -= 1
        @early.clear if @starting.zero?
      end

      # An actor that cannot start is tried again later. It may be removed meanwhile.
      def restart(instance)
        return if @down || !@actors.include?(instance)

        start_one { instance.tap(&:restart) }
        instance.terminate unless @actors.include?(instance)
      rescue ::StandardError, ::ScriptError => error
        delay = instance.delay or return give_up(instance, error)
        after([delay, Backoff::FIRST].max) { restart(instance) }
      end

      def give_up(instance, reason)
        Internals::Logger.error("#{instance.actor.inspect} is not started any more, it fails too " \
          "often: #{reason.inspect}")
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
