# frozen_string_literal: true

require_relative "limits"
require_relative "uniqueness"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Frees what a job held when it ends: its unique key, its place in a batch's count, and in a
        # limit, so that a blocked job may go.
        # @api private
        class Cleanup
          # An ended job, from {COLUMNS}.
          Job = Struct.new(:id, :special, :limit_key, :unique_key, :batch)
          # Columns of `jobs` that statements which end jobs return.
          COLUMNS = "id, special, limit_key, unique_key, batch"

          # @param counter [BatchCounter]
          def initialize(counter)
            @counter = counter
          end

          # @param rows [Array<Array>] of {COLUMNS}, jobs that have ended
          # @param how [Symbol] :done or :dead
          # @param unblock [Boolean] whether a job that its limit blocked may go: not where it had
          #   not come to its turn itself
          def ended(db, rows, how, unblock: true)
            jobs = rows.filter_map { |row| Job.new(*row) unless row[1].zero? }
            return if jobs.empty?

            jobs.each { |job| Uniqueness.unlock(db, job.unique_key, job.id) if job.unique_key }
            @counter.ended(db, jobs.filter_map(&:batch).tally, how)
            jobs.each { |job| Limits.unblock(db, job.limit_key) if job.limit_key } if unblock
          end

          # @param row [Array] of {COLUMNS}, a job that does not run any more and goes on elsewhere
          def stopped(db, row)
            limit_key = row[2]
            Limits.unblock(db, limit_key) if limit_key
          end
        end
      end
    end
  end
end
