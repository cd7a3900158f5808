# frozen_string_literal: true

module Celluloid
  module Supervision
    class Container
      # A supervised actor.
      class Instance
        attr_reader :name
        attr_reader :actor
        attr_accessor :pool, :pool_size

        def initialize(configuration = {})
          @configuration = configuration
          @type = configuration[:type]
          @registry = configuration[:registry]
          @branch = configuration[:branch] || :services
          @name = configuration[:as]
          @block = configuration[:block]
          @method = configuration[:method] || :new_link
          @backoff = Backoff.new(configuration[:max_restarts], configuration[:period])
          add_accessors
          inject(:before_initialization)
          inject(:after_initialization)
          start
        end

        def start
          inject(:before_start)
          arguments, keywords = Internals.arguments(@type, @configuration[:args])
          @actor = @type.public_send(@method, *arguments, **keywords, &@block)
          @registry.add(@name, @actor, @branch) if @name
        rescue ::StandardError, ::ScriptError => error
          Internals::Logger.error("#{error.class} at the start of a supervised #{@type}: " \
            "#{error.message}")
          raise
        end

        # Seconds before the next start, or nil.
        def delay = @backoff.next

        def restart
          inject(:before_restart)
          start
        end

        def terminate
          @actor&.terminate
        rescue DeadActorError
          nil
        ensure
          cleanup
        end

        # Frees its name, if it is still its own.
        def cleanup
          @registry.delete(@name) if @name && @actor && @registry[@name].eql?(@actor)
        end

        private

        # Celluloid.NAME, and the same for the actor system.
        def add_accessors
          name = @name
          Array(@configuration[:accessors]).each do |accessor|
            [Celluloid.singleton_class, Celluloid, Celluloid.actor_system.class].each do |owner|
              owner.define_method(accessor) { Celluloid.actor_system[name] }
            end
          end
        end

        def inject(point)
          code = @configuration[:injections]&.[](point)
          instance_exec(&code) if code
        end
      end
    end
  end
end
