# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Random numbers that the kernel would give. SecureRandom uses Random.urandom.
      #
      # @api private
      module RandomMethods
        def urandom(size)
          world = World.current
          world ? world.random.bytes(size) : super
        end

        def new_seed
          world = World.current
          world ? world.random.rand(1 << 128) : super
        end

        def new(seed = new_seed) = super
      end
    end
  end
end
