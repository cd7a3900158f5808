# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # Removes old rows in small steps, by primary key.
        class Maintenance < SQL::Maintenance
          LIMIT = 500
          NUMBERS = "SELECT id FROM {numbers} ORDER BY id LIMIT #{LIMIT} {skip_locked}".freeze
          DEAD = [
            "SELECT id FROM {jobs} WHERE state = 'dead' AND at < {now} - $1 ORDER BY at " \
              "LIMIT #{LIMIT}",
            "SELECT id FROM {jobs} WHERE state = 'dead' ORDER BY at DESC, id DESC " \
              "LIMIT #{LIMIT} OFFSET $1"
          ].freeze
          # Same as {SQL::Maintenance#prune_rates}.
          UNUSED = "opens_at IS NULL AND idle_at <= {now} AND closed_until <= {now}"
          KEYS = "SELECT key FROM {rate_keys} WHERE #{UNUSED}".freeze
          DELETE_KEY = "DELETE FROM {rate_keys} WHERE key = $1 AND #{UNUSED}".freeze
          DELETE_DEAD = "DELETE FROM {jobs} WHERE id {ids $1} AND state = 'dead'"

          def prune(dead_for: 180 * 86_400, dead_max: 10_000, batches_for: 7 * 86_400)
            DEAD.zip([dead_for.to_f, dead_max]) { |sql, param| prune_dead(sql, param) }
            @database.write { |db| db.run(BATCHES, batches_for.to_f) }
            %w[facts uniques].each do |table|
              @database.write { |db| db.run("DELETE FROM {#{table}} WHERE ends_at <= {now}") }
            end
            prune_workflows(batches_for.to_f)
            @database.write { |db| @flow_table.prune(db, batches_for) }
            prune_rates
            @database.write { |db| prune_statistics(db) }
            prune_numbers
            nil
          end

          private

          def prune_dead(sql, param)
            loop do
              ids = @database.read { |db| db.rows(sql, param) }.flatten
              @database.write { |db| db.run(DELETE_DEAD, ids) } if ids.any?
              break if ids.size < LIMIT
            end
          end

          def prune_workflows(seconds)
            @database.read { |db| db.rows(WORKFLOWS, seconds) }.flatten.each do |id|
              @database.write { |db| SQL::WorkflowTable.delete(db, id) }
            end
          end

          # One by one: a DELETE with a subquery locks what the subquery reads.
          def prune_rates
            @database.read { |db| db.rows(KEYS) }.flatten.each do |key|
              @database.write do |db|
                db.lock("rate:#{key}")
                next if db.run(DELETE_KEY, key).zero?

                db.run("DELETE FROM {rate_starts} WHERE key = $1", key)
              end
            end
          end

          def prune_statistics(db)
            db.lock("statistics")
            super
          end

          # Left by killed processes, and by transactions of applications.
          def prune_numbers
            loop do
              count = @database.write do |db|
                ids = db.rows(NUMBERS).flatten
                db.run("DELETE FROM {numbers} WHERE id {ids $1}", ids)
                ids.size
              end
              break if count < LIMIT
            end
          end
        end
      end
    end
  end
end
