# frozen_string_literal: true

module Celluloid
  module Supervision
    # Actors to supervise, and their supervisor.
    class Configuration
      extend Forwardable
      include Accessors

      def_delegators :current_instance, :delete, :key?, :set, :get, :[], :[]=, :injection!,
        :injections!

      class << self
        def define(options = {}) = new(options)

        def deploy(options = {}) = define(options).deploy

        # +fails+: whether to raise instead of returning false.
        def valid?(options, fails = false)
          missing = parameters(:mandatory).find { |name| !options.key?(name) }
          if missing && fails
            raise Error::Incomplete, "Missing `:#{missing}` in supervision configuration."
          end
          return false if missing

          arity.all? { |type, arguments| fits?(options[type], options[arguments], fails) }
        end

        def options(config = {}, more = {})
          options = config.merge(more)
          return options if options.is_a?(Configuration)

          options[:configuration] = Container::Behavior.configure(options)
          valid?(options, true)
          options
        end

        private

        def fits?(type, arguments, fails)
          return true if arguments.is_a?(Proc)

          given = arguments.is_a?(Hash) ? 1 : Array(arguments).size
          arity = type.instance_method(:initialize).arity
          return true if arity.negative? ? given >= -arity - 1 : given == arity
          if fails
            raise ArgumentError,
              "#{type} takes #{arity.negative? ? "at least #{-arity - 1}" : arity} arguments, " \
                "and args: has #{given}"
          end

          false
        end
      end

      attr_accessor :instances

      def initialize(options = {})
        @instances = [Instance.new]
        @branch = :services
        @index = 0
        resync_accessors
        @configuration = options.is_a?(Hash) ? configured(options) : options
        @supervisor ||= :services
        define(@configuration) unless nothing?(@configuration)
      end

      def provider = @provider ||= provided(@supervisor)

      def deploy(options = {})
        define(options) if options.any?
        @instances.each { |instance| provider.add(instance.merge(branch: @branch)) }
        provider
      end

      def count = @instances.count

      def each(&) = @instances.each(&)

      def merge!(values) = current_instance.merge!(hash_of(values))

      def merge(values) = current_instance.merge(hash_of(values))

      def export = @index.zero? ? current_instance.export : @instances.map(&:export)

      def include?(name) = @instances.any? { |instance| instance.name == name }

      def define(configuration, fails = false)
        Array(configuration.is_a?(Hash) ? [configuration] : configuration).each do |one|
          next if one[:as] && include?(one[:as])

          increment if current_instance.ready?
          current_instance.define(one, fails)
        end
        self
      end

      def increment = @index += 1
      alias_method :another, :increment

      def add(options)
        define(options)
        provider.supervise(options) if Configuration.valid?(options)
      end

      def shutdown = @provider.shutdown

      private

      def nothing?(configuration)
        (configuration.is_a?(Hash) ? configuration.except(*REMOVE_AT_EXPORT) : configuration).none?
      end

      def configured(options)
        options[:configuration] ||= Container::Behavior.configure(options)
        instance_exec(options, &options[:configuration])
          .tap { |configuration| @supervisor ||= configuration[:supervisor] }
      end

      def below(options, supervised)
        @supervisor = options.dup
        @branch = options.fetch(:branch) { options[:as] }
        supervised
      end

      def provided(supervisor)
        case supervisor
        when Hash then supervisor[:type].run!(supervisor)
        when Symbol, String then Celluloid.public_send(supervisor.to_s.delete_prefix("Celluloid."))
        when Class then supervisor.run!
        else supervisor.respond_to?(:supervise) ? supervisor : raise(Error::InvalidSupervisor)
        end
      end

      def hash_of(values)
        return values if values.is_a?(Configuration) || values.is_a?(Hash)

        raise Error::Invalid
      end

      def current_instance = @instances[@index] ||= Instance.new
    end
  end
end
