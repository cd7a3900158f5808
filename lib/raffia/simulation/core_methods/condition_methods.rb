# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # ConditionVariable: waits may end without a reason, as POSIX allows, and a signal that finds
      # no waiter is remembered.
      #
      # @api private
      module ConditionMethods
        def wait(mutex, timeout = nil, ...)
          world = World.current or return super
          world.conditions.wait(self, timeout) do
            spurious = world.faults.happens?(:spurious, "ConditionVariable#wait")
            super(mutex, spurious ? 0 : timeout)
          end
        end

        %i[signal broadcast].each do |name|
          define_method(name) do
            return super() unless World.active && (world = World.current)

            world.conditions.signalled(self)
            super()
            world.returned
            self
          end
        end
      end
    end
  end
end
