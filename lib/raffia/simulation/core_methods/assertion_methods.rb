# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Minitest's message of a failed assertion: it runs the program `diff`, which is no process of
      # the code under test. `inspect` of the values stays in the world.
      #
      # @api private
      module AssertionMethods
        def diff(...)
          world = World.current or return super
          world.thread_scheduler.uninterrupted { world.boundary.allow_processes { super } }
        end

        # For each exploration: Minitest may be loaded at any time.
        def self.install
          return unless defined?(::Minitest::Assertions)

          ::Minitest::Assertions.prepend(self) unless ::Minitest::Assertions.include?(self)
        end
      end
    end
  end
end
