# frozen_string_literal: true

module Celluloid
  module Supervision
    class Configuration
      class Instance
        include Accessors

        attr_accessor :configuration

        def initialize(configuration = {})
          resync_accessors
          @configuration = configuration
          define(configuration) if configuration.any?
        end

        def export = @configuration.except(*REMOVE_AT_EXPORT)
        alias_method :to_hash, :export

        def ready?(fails = false) = @ready ||= Configuration.valid?(@configuration, fails)

        def define(options, fails = false)
          raise Error::AlreadyDefined if ready?(false)

          @configuration = Configuration.options(options)
          ready?(fails)
        end

        def injection!(key, code) = (@configuration[:injections] ||= {})[key] = code

        def injections!(all) = @configuration[:injections] = all

        def merge!(values) = @configuration = merge(values)

        def merge(values)
          case values
          when Configuration then @configuration.merge(values.export)
          when Hash then @configuration.merge(values)
          else raise Error::Invalid
          end
        end

        def key?(name) = @configuration.key?(name)

        def set(name, value) = @configuration[name] = value
        alias_method :[]=, :set

        def get(name) = @configuration[name]
        alias_method :[], :get

        def delete(name) = @configuration.delete(name)
      end
    end
  end
end
