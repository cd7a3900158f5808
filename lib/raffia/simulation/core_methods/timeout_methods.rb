# frozen_string_literal: true

require "timeout"

module Raffia
  module Simulation
    module CoreMethods
      # Timeout.timeout, which would start a thread. Fibers of a scheduler keep the original, which
      # calls their scheduler.
      #
      # @api private
      module TimeoutMethods
        def timeout(seconds, klass = nil, message = nil, &block)
          world = World.current
          return super if world.nil? || world.fiber_waits.scheduler

          TimeLimit.new(world).call(seconds, klass, message, &block)
        end

        def self.install
          Replacement.call(::Timeout, self)
          ::Timeout.prepend(self)
        end
      end
    end
  end
end
