# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Waiting jobs of one name: a list for each priority, highest first.
        #
        # @api private
        class Queue
          def initialize
            @lists = {}
          end

          def push(job) = list(job).push(job)

          def unshift(job) = list(job).unshift(job)

          # @return [Job, nil] the next one of these priorities
          def shift(priorities)
            @lists.each do |priority, jobs|
              return jobs.shift if jobs.any? && priorities.cover?(priority)
            end
            nil
          end

          # @return [Boolean] whether there is one of these priorities
          def any?(priorities)
            @lists.any? { |priority, jobs| jobs.any? && priorities.cover?(priority) }
          end

          # Costs nothing at the front; elsewhere it is a search.
          def delete(job)
            jobs = list(job)
            return jobs.shift if jobs.first.equal?(job)

            jobs.delete_at(jobs.index { |one| one.equal?(job) })
          end

          def size = @lists.sum { |_, jobs| jobs.size }

          def empty? = @lists.none? { |_, jobs| jobs.any? }

          def to_a = [].concat(*@lists.values)

          # @return [Array<Job>] of each priority
          def oldest = @lists.filter_map { |_, jobs| jobs.first }

          private

          def list(job)
            @lists[job.priority] || begin
              @lists[job.priority] = []
              @lists = @lists.sort_by { |priority, _| -priority }.to_h
              @lists[job.priority]
            end
          end
        end
      end
    end
  end
end
