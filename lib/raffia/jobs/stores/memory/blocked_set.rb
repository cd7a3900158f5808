# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # The set `blocked`: jobs that a limit or a rate blocks.
        # @api private
        class BlockedSet
          def initialize(limits, rates)
            @limits = limits
            @rates = rates
          end

          def add(job) = of(job).add(job)

          def remove(job)
            of(job).remove(job)
            job.rated = false
          end

          def size = @limits.size + @rates.size

          def to_a = (@limits.to_a + @rates.to_a).sort_by(&:at)

          private

          def of(job) = job.rated ? @rates : @limits
        end
      end
    end
  end
end
