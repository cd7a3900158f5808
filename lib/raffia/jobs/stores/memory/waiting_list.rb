# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Waiting jobs of one queue and priority, by their turn.
        # @api private
        class WaitingList
          def initialize
            @jobs = []
            @keys = {}
          end

          # To the back, or to its key's next turn.
          def push(job)
            count(job)
            return @jobs.push(job) if @jobs.empty? || @jobs.last.pass <= job.pass

            @jobs.insert(@jobs.bsearch_index { |other| other.pass > job.pass }, job)
          end

          # Before the others of its turn.
          def unshift(job)
            note(job)
            before = @jobs.bsearch_index { |other| other.pass >= job.pass }
            @jobs.insert(before || @jobs.size, job)
          end

          def shift = @jobs.shift.tap { |job| forget(job) }

          # Costs nothing at the front; elsewhere it is a search.
          def delete(job)
            return shift if @jobs.first.equal?(job)

            forget(job)
            @jobs.delete_at(@jobs.index { |one| one.equal?(job) })
          end

          def first = @jobs.first

          def any? = @jobs.any?

          def size = @jobs.size

          def to_a = @jobs

          private

          # Computes the job's turn.
          def count(job)
            return job.pass = 0 unless job.fair

            job.pass = Store::FairOrder.pass(job.fair, base, @keys[job.fair["key"]]&.last)
            note(job)
          end

          def base = @jobs.bsearch { |job| job.pass > 0 }&.pass

          # Keeps the number of the key's jobs, and its last turn.
          def note(job)
            return unless job.fair

            number, last = @keys[job.fair["key"]]
            @keys[job.fair["key"]] = [number.to_i + 1, [last.to_i, job.pass].max]
          end

          def forget(job)
            return unless job&.fair

            turns = @keys[job.fair["key"]]
            @keys.delete(job.fair["key"]) if (turns[0] -= 1) < 1
          end
        end
      end
    end
  end
end
