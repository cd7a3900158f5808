# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class Rates < Store::Rates
          BLOCKED = "SELECT count(*) FROM {jobs} WHERE state = 'blocked' AND rated = 1 " \
            "AND rate_key = $1"
          CLOSE = "INSERT INTO {rate_keys existing} (key, name, rule, used, full_at, " \
            "closed_until, idle_at) VALUES ($1, '', 'null', 0, 0, {now} + $2, {now} + $2) " \
            "{upsert key} closed_until = {excluded closed_until}, opens_at = CASE " \
            "WHEN {existing opens_at} IS NULL THEN NULL ELSE {excluded closed_until} END"
          CHANGE = "INSERT INTO {rate_limits} (name, rule) VALUES ($1, $2) " \
            "{upsert name} rule = {excluded rule}"
          REOPEN = "UPDATE {rate_keys} SET opens_at = {now} WHERE name = $1 AND opens_at IS NOT NULL"
          KEYS = "SELECT key FROM {rate_keys} ORDER BY CASE WHEN opens_at IS NULL THEN 1 " \
            "ELSE 0 END, key LIMIT $1 OFFSET $2"

          needs :database, :rate_keys

          def rate(key) = @database.read { |db| status(db, key) }

          def rates(offset: 0, limit: 50)
            @database.read do |db|
              db.rows(KEYS, limit, offset).flatten.map { |key| status(db, key) }
            end
          end

          def close_rate(key, seconds)
            @database.write do |db|
              db.lock("rate:#{key}")
              db.run(CLOSE, key, seconds.to_f)
              db.wake([""])
            end
            nil
          end

          # Blocked jobs are looked at again by the next promotion.
          def change_rate(name, rule)
            @database.write do |db|
              rule ? db.run(CHANGE, name, JSON.generate(rule)) :
                db.run("DELETE FROM {rate_limits} WHERE name = $1", name)
              db.run(REOPEN, name)
              db.wake([""])
            end
            nil
          end

          private

          def status(db, key)
            entry = @rate_keys.read(db, key) or return {}
            state = entry.state
            {"name" => entry.spec&.fetch("name", nil), "key" => key,
             **entry.rule.to_h.transform_keys(&:to_s),
             "tokens" => entry.limiter&.tokens, "opens_at" => state.opens_at,
             "closed_until" => (state.closed_until if state.closed?(entry.now)),
             "blocked" => db.rows(BLOCKED, key).dig(0, 0)}
          end
        end
      end
    end
  end
end
