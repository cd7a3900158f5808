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
          timeout = 0 if world.faults.happens?(:spurious, "ConditionVariable#wait")
          super
        end
      end
    end
  end
end
