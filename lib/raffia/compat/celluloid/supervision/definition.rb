# frozen_string_literal: true

module Celluloid
  module Supervision
    # Class methods of containers: what they supervise, and how they start.
    module Definition
      def define(options) = Configuration.define(top(options))

      def deploy(options) = Configuration.deploy(top(options))

      def top(options)
        {as: options[:as], type: options[:type] || self, branch: options[:branch] || :services,
         supervise: options[:supervise] || []}
      end

      def blocks = instance_variable_get(:@blocks) || instance_variable_set(:@blocks, [])

      def supervise(config, options = {}, &block)
        config = {**options, type: config} if config.is_a?(Class)
        blocks << ->(container) { container.supervise(config, &block) }
      end

      def pool(klass, config = {}, &block)
        blocks << ->(container) { container.pool(klass, config, &block) }
      end

      def run!(options = {})
        new(options) { |container| blocks.each { |block| block.call(container) } }
      end

      # Starts one, and another whenever it fails. Does not return.
      def run(options = {})
        loop do
          Actor.join(run!(options))
          Internals::Logger.error("!!! Celluloid::Supervision::Container #{self} crashed. " \
            "Restarting...")
          ::Kernel.sleep(1)
        end
      end
    end
  end
end
