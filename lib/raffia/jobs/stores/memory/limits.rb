# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Running jobs by the keys of their limits, and the jobs that these block: the set
        # `blocked`.
        # @api private
        class Limits
          # Keys, and their numbers of running jobs.
          attr_reader :running

          def initialize
            @running = Hash.new(0)
            @blocked = {}
          end

          def full?(job) = !job.limit.nil? && @running[job.limit["key"]] >= job.limit["max"]

          def started(job) = (@running[job.limit["key"]] += 1 if job.limit)

          def ended(job)
            return unless (limit = job.limit)

            @running.delete(limit["key"]) if (@running[limit["key"]] -= 1) < 1
          end

          # The oldest job that this one's key blocks.
          def next(job) = job.limit && @blocked[job.limit["key"]]&.first

          def add(job) = (@blocked[job.limit["key"]] ||= []).push(job)

          def remove(job)
            jobs = @blocked[job.limit["key"]]
            jobs.delete_at(jobs.index { |one| one.equal?(job) })
            @blocked.delete(job.limit["key"]) if jobs.empty?
          end

          def size = @blocked.sum { |_, jobs| jobs.size }

          def to_a = @blocked.values.flatten(1).sort_by(&:at)
        end
      end
    end
  end
end
