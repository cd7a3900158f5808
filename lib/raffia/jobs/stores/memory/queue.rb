# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Waiting jobs of one name: a list for each priority, highest first.
        # @api private
        class Queue
          def initialize
            @lists = {}
          end

          def push(job) = list(job).push(job)

          def unshift(job) = list(job).unshift(job)

          # The next job of these priorities.
          def shift(priorities)
            @lists.each do |priority, jobs|
              return jobs.shift if jobs.any? && priorities.cover?(priority)
            end
            nil
          end

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

          def empty? = size.zero?

          def to_a = [].concat(*@lists.values)

          # The oldest job of each priority.
          def oldest = @lists.filter_map { |_, jobs| jobs.first }

          private

          def list(job) = @lists[job.priority] || add_list(job.priority)

          def add_list(priority)
            list = []
            @lists = @lists.merge(priority => list).sort_by { |one, _| -one }.to_h
            list
          end
        end
      end
    end
  end
end
