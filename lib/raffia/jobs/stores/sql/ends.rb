# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # What it means to others that a job has left: its lock is free, its batch counts it, one
        # that its limit blocked may go.
        # @api private
        module Ends
          # What of a job others depend on, as {COLUMNS} has it.
          Gone = Struct.new(:id, :special, :limit_key, :unique_key, :batch)
          # Of `jobs`, for statements that end some.
          COLUMNS = "id, special, limit_key, unique_key, batch"

          private

          # @param rows [Array<Array>] of {COLUMNS}
          # @param how [Symbol] :done or :dead
          # @param next_one [Boolean] whether one that its limit blocked may go now: not where it
          #   had not come to its turn itself
          # @return [void]
          def left(db, rows, how, next_one: true)
            gone = rows.filter_map { |row| Gone.new(*row) unless row[1].zero? }
            return if gone.empty?

            gone.each { |job| unlock(db, job.unique_key, job.id) if job.unique_key }
            tell_batches(db, gone.filter_map(&:batch).tally, how)
            gone.each { |job| unblock(db, job.limit_key) if job.limit_key } if next_one
          end

          # It runs no more, and goes on elsewhere.
          def stopped(db, row)
            limit_key = row[2]
            unblock(db, limit_key) if limit_key
          end
        end
      end
    end
  end
end
