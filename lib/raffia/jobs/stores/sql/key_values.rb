# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class KeyValues < Store::KeyValues
          READ = "SELECT value FROM {facts} WHERE key = $1 AND (ends_at IS NULL OR ends_at > {now})"
          WRITE = "INSERT INTO {facts} (key, value, ends_at) VALUES ($1, $2, {now} + $3) " \
            "{upsert key} value = {excluded value}, ends_at = {excluded ends_at}"
          DELETE = "DELETE FROM {facts} WHERE key = $1"
          KEYS = "SELECT key FROM {facts} WHERE substr(key, 1, $2) = $1 AND (ends_at IS NULL " \
            "OR ends_at > {now}) ORDER BY key"

          needs :database

          def read(key) = @database.read { |db| db.rows(READ, key).dig(0, 0) }

          def write(key, value, expect: :any, ttl: nil)
            @database.write { |db| change(db, key, value, expect, ttl) }
          end

          def keys(prefix) = @database.read { |db| db.rows(KEYS, prefix, prefix.size) }.flatten

          def change(db, key, value, expect, ttl = nil)
            db.lock("value:#{key}")
            return false unless expect == :any || expect == db.rows(READ, key).dig(0, 0)

            value.nil? ? db.run(DELETE, key) : db.run(WRITE, key, value, ttl&.to_f)
            true
          end
        end
      end
    end
  end
end
