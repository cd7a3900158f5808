# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # See the values of {Store}.
        # @api private
        module Values
          READ = "SELECT value FROM {facts} WHERE key = $1 AND (ends_at IS NULL OR ends_at > {now})"
          WRITE = "INSERT INTO {facts} (key, value, ends_at) VALUES ($1, $2, {now} + $3) " \
            "ON CONFLICT (key) DO UPDATE SET value = excluded.value, ends_at = excluded.ends_at"
          KEYS = "SELECT key FROM {facts} WHERE substr(key, 1, $2) = $1 AND (ends_at IS NULL OR " \
            "ends_at > {now}) ORDER BY key"

          # @see Store#now
          def now = reading { |db| db.rows("SELECT {now}") }[0][0].to_f

          def read(key) = reading { |db| db.rows(READ, key).dig(0, 0) }

          def write(key, value, expect: :any, ttl: nil)
            writing { |db| change(db, key, value, expect, ttl) }
          end

          def keys(prefix) = reading { |db| db.rows(KEYS, prefix, prefix.size) }.flatten

          private

          # @return [Boolean] whether it was as expected
          def change(db, key, value, expect, ttl)
            db.lock("value:#{key}")
            return false unless expect == :any || expect == db.rows(READ, key).dig(0, 0)

            if value.nil?
              db.run("DELETE FROM {facts} WHERE key = $1", key)
            else
              db.run(WRITE, key, value, ttl&.to_f)
            end
            true
          end
        end
      end
    end
  end
end
