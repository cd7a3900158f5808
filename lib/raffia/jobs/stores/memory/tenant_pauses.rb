# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Keys of fair queues that are paused, with the jobs that claims have met.
        # @api private
        class TenantPauses
          def initialize
            @jobs = {}
          end

          def pause(queue, tenant) = @jobs[[queue, tenant]] ||= []

          # Returns the jobs.
          def resume(queue, tenant) = @jobs.delete([queue, tenant]) || []

          def paused?(job) = @jobs.any? && job.fair && @jobs.key?(key(job))

          def names(queue) = @jobs.keys.filter_map { |name, tenant| tenant if name == queue }

          def add(job) = @jobs.fetch(key(job)).push(job)

          def remove(job)
            jobs = @jobs.fetch(key(job))
            jobs.delete_at(jobs.index { |one| one.equal?(job) })
          end

          def size = @jobs.sum { |_, jobs| jobs.size }

          def to_a = @jobs.values.flatten

          private

          def key(job) = [job.queue, job.fair["key"]]
        end
      end
    end
  end
end
