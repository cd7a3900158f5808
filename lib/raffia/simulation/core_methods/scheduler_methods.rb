# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Raffia.run inside of a world gets a {FiberScheduler}, whatever back end it asks for.
      #
      # @api private
      module SchedulerMethods
        def new(*arguments, **options)
          world = World.current
          return super unless world && equal?(Raffia::Scheduler)

          FiberScheduler.in(world, **options.slice(:offload, :blocking, :operations))
        end
      end
    end
  end
end
