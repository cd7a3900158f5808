# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Jobs in the order of their times; of equal times, in the order of arrival.
        # @api private
        class Timeline
          def initialize
            @jobs = []
          end

          def add(job) = @jobs.insert(after(job.at), job)

          def remove(job)
            before = @jobs.bsearch_index { |one| one.at >= job.at }
            @jobs.delete_at((before...@jobs.size).find { |index| @jobs[index].equal?(job) })
          end

          # The first job, nil when its time has not come.
          def shift(now) = (@jobs.shift if next_at&.<=(now))

          def next_at = @jobs.first&.at

          def size = @jobs.size

          def to_a = @jobs.dup

          private

          def after(at)
            return @jobs.size if @jobs.empty? || @jobs.last.at <= at

            @jobs.bsearch_index { |job| job.at > at }
          end
        end
      end
    end
  end
end
