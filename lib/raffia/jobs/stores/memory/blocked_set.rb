# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # The set `blocked`: jobs that a limit, a rate or the pause of their tenant blocks.
        # @api private
        class BlockedSet
          def initialize(limits, rates, pauses)
            @limits = limits
            @rates = rates
            @pauses = pauses
          end

          def add(job) = of(job).add(job)

          def remove(job)
            of(job).remove(job)
            job.rated = nil
          end

          def size = @limits.size + @rates.size + @pauses.size

          def to_a = (@limits.to_a + @rates.to_a + @pauses.to_a).sort_by(&:at)

          private

          def of(job)
            case job.rated
            when :rate then @rates
            when :pause then @pauses
            else @limits
            end
          end
        end
      end
    end
  end
end
