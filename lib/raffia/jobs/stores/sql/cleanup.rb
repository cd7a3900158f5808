# frozen_string_literal: true

require_relative "limits"
require_relative "uniqueness"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Frees what an ended job held: its unique key, and its places in a batch and a limit.
        # @api private
        class Cleanup
          Job = Struct.new(:id, :special, :limit_key, :unique_key, :batch)
          # What statements that end jobs return.
          COLUMNS = "id, special, limit_key, unique_key, batch"

          def initialize(counter)
            @counter = counter
          end

          # `how` is :done or :dead. `unblock` is false for jobs that had not come to their turn.
          def ended(db, rows, how, unblock: true)
            jobs = rows.filter_map { |row| Job.new(*row) unless row[1].zero? }
            return if jobs.empty?

            jobs.each { |job| Uniqueness.unlock(db, job.unique_key, job.id) if job.unique_key }
            @counter.ended(db, jobs.filter_map(&:batch).tally, how)
            jobs.each { |job| Limits.unblock(db, job.limit_key) if job.limit_key } if unblock
          end

          # For a job that goes on elsewhere.
          def stopped(db, row)
            limit_key = row[2]
            Limits.unblock(db, limit_key) if limit_key
          end
        end
      end
    end
  end
end
