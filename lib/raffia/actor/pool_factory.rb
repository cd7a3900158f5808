# frozen_string_literal: true

module Raffia
  class Actor
    # Makes a pool's manager and its workers.
    #
    # @api private
    class PoolFactory
      attr_reader :size, :settings

      def initialize(worker, size, settings)
        @worker = worker
        @size = size
        @settings = settings
      end

      def actor_class = @worker.actor_class

      def build(core)
        PoolManager.allocate.tap do |manager|
          manager.__send__(:raffia_attach, core)
          manager.__send__(:initialize, self)
        end
      end

      def discard(_reason) = nil

      def start_worker(pool)
        actor_class.raffia_spawn(@worker, parent: pool, group: pool.group, **@settings.to_h)
          .raffia_core
      end
    end
  end
end
