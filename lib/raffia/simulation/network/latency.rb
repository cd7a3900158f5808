# frozen_string_literal: true

module Raffia
  module Simulation
    class Network
      # How long a packet is under way, in seconds: a number, a Range (uniform), or an object whose
      # `call` takes a Random.
      #
      # @api private
      class Latency
        # Equal steps of a range. The lowest is the simplest choice.
        STEPS = 1_000
        private_constant :STEPS

        # Delays whose distribution is exponential, as queues in networks have them.
        def self.exponential(mean, limit)
          ->(random) { [-mean * Math.log(1 - random.rand), limit].min }
        end

        def initialize(value)
          unless value.respond_to?(:call) || value.is_a?(::Range) || value.is_a?(::Numeric)
            raise ConfigError, "a latency is seconds, a range or a callable: #{value.inspect}"
          end

          @value = value
        end

        def sample(world)
          case @value
          when ::Numeric then @value
          when ::Range then draw(world, @value.begin, @value.end)
          else world.thread_scheduler.uninterrupted { @value.call(world.random) }
          end
        end

        private

        def draw(world, low, high)
          low + (high - low) * world.choose(STEPS + 1).fdiv(STEPS)
        end
      end
    end
  end
end
