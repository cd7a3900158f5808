# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Jobs in the order of their times; of equal times, in the order of arrival.
        #
        # @api private
        class Timeline
          def initialize
            @jobs = []
          end

          def add(job)
            @jobs.insert(after(job.at), job)
          end

          def remove(job)
            @jobs.delete_at((before(job.at)...@jobs.size).find { |index| @jobs[index].equal?(job) })
          end

          # @return [Job, nil] the first, if its time has come
          def shift(now) = (@jobs.shift if due?(now))

          def due?(now) = !@jobs.empty? && @jobs.first.at <= now

          # @return [Float, nil]
          def next_at = @jobs.first&.at

          def size = @jobs.size

          def to_a = @jobs.dup

          private

          def after(at)
            return @jobs.size if @jobs.empty? || @jobs.last.at <= at

            @jobs.bsearch_index { |job| job.at > at }
          end

          def before(at) = @jobs.bsearch_index { |job| job.at >= at } || @jobs.size
        end
      end
    end
  end
end
