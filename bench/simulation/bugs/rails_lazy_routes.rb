# frozen_string_literal: true

# rails be08bdce216: lazy routes are marked as loaded before they are drawn; a second request is
# dispatched into a half drawn set and gets a 404. Fixed: draw under a lock, mark afterwards.
module SimulationBench
  module RailsLazyRoutes
    class Routes
      def initialize
        @lock = Monitor.new
        @routes = {}
        @loaded = false
      end

      def call(path)
        load unless loaded?
        @routes.key?(path) ? 200 : 404
      end

      private

      def loaded? = @loaded

      def load
        @loaded = true
        draw
      end

      def draw = %w[/ /posts].each { |path| @routes.store(path, :controller) }
    end

    class LockedRoutes < Routes
      def load
        @lock.synchronize do
          draw unless loaded?
          @loaded = true
        end
      end
    end

    def self.run(routes)
      codes = Array.new(2) { Thread.new { routes.call("/posts") } }.map(&:value)
      SimulationBench.check(codes == [200, 200], "the responses are #{codes.inspect}")
    end
  end

  model "rails_lazy_routes", source: "rails be08bdce216", fault: "marked as loaded before loading",
    needs: [:preempt], buggy: ->(_sim) { RailsLazyRoutes.run(RailsLazyRoutes::Routes.new) },
    fixed: ->(_sim) { RailsLazyRoutes.run(RailsLazyRoutes::LockedRoutes.new) }
end
