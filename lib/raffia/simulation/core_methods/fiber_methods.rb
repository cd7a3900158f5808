# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Fiber's methods for schedulers: each simulated thread has its own. A blocking fiber blocks
      # the simulated thread, not the real one.
      #
      # @api private
      module FiberMethods
        def new(blocking: false, **options, &block)
          world = World.current
          return super unless world && blocking && block

          super(blocking: false, **options) do |*arguments|
            world.fiber_waits.blocking { block.call(*arguments) }
          end
        end

        def blocking(&)
          world = World.current
          world ? world.fiber_waits.blocking(&) : super
        end

        def scheduler
          world = World.current
          world ? world.running.scheduler : super
        end

        def current_scheduler
          world = World.current
          world ? world.fiber_waits.scheduler : super
        end

        def set_scheduler(scheduler) # standard:disable Naming/AccessorMethodName
          world = World.current or return super
          unless scheduler.nil? || scheduler.is_a?(FiberScheduler)
            world.boundary.refuse("a simulated thread takes only Raffia's scheduler, which " \
              "Raffia.run sets: #{scheduler.class} has an event loop of its own")
          end

          thread = world.running
          former = thread.scheduler
          # Core calls it before it lets go of the scheduler.
          former&.scheduler_close unless former.equal?(scheduler)
          thread.scheduler = scheduler
        end
      end
    end
  end
end
