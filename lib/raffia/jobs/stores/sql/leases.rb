# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # The leases of {Store}. A lease is a row, and holds as long as that is there:
        # {Upkeep#recover} takes it away, with the jobs, in one step.
        # @api private
        module Leases
          ENROLL = "INSERT INTO {leases} (token, identity, info, state, ttl, ends_at, beat) " \
            "VALUES ($1, $2, $3, '{}', $4, {uptime} + $4, {now})"
          BEAT = "UPDATE {leases} SET ends_at = {uptime} + ttl, beat = {now}, state = $3 WHERE " \
            "token = $1 AND identity = $2"
          # By the clock, or else by one more than the last: a database that comes back with older
          # data must not give a token twice.
          TOKEN = "INSERT INTO {counters} AS c (name, value) VALUES ('token', $1) ON CONFLICT " \
          "(name) " \
            "DO UPDATE SET value = CASE WHEN c.value < excluded.value THEN excluded.value ELSE " \
            "c.value + 1 END RETURNING value"
          HELD = "SELECT id, place FROM {jobs} WHERE token = $1"

          RENEW = "UPDATE {leases} SET ends_at = {uptime} + ttl WHERE token = $1 AND identity = $2"

          def enroll(identity, info, ttl: Store::LEASE)
            writing do |db|
              token =
                db.rows(TOKEN, ::Process.clock_gettime(::Process::CLOCK_REALTIME, :microsecond))
                  .dig(0, 0)
              db.run(ENROLL, token, identity, JSON.generate(info), ttl.to_f)
              Lease.new(identity: identity, token: token, ttl: ttl)
            end
          end

          def beat(lease, state = {}, tally: nil)
            writing(durable: false) do |db|
              count(db, tally) if tally
              if db.run(BEAT, lease.token, lease.identity, JSON.generate(state)) == 1
                orders_for(db, lease.token)
              end
            end
          end

          def renew(lease)
            writing(durable: false) { |db| db.run(RENEW, lease.token, lease.identity) == 1 }
          end

          def held(lease) = reading { |db| db.rows(HELD, lease.token) }

          def give_back(lease, keys)
            writing { |db| put_back(db, keys.sort_by(&:last), lease.token) }
          end

          def resign(lease, tally: nil)
            writing do |db|
              count(db, tally) if tally
              put_back(db,
                db.rows("SELECT id, place FROM {jobs} WHERE token = $1 ORDER BY place {lock}",
                  lease.token), lease.token)
              db.run("DELETE FROM {orders} WHERE token = $1", lease.token)
              db.run("DELETE FROM {leases} WHERE token = $1", lease.token)
            end
            nil
          end

          def processes
            rows = reading do |db|
              db.rows("SELECT identity, info, state, beat, token FROM {leases} WHERE {live} " \
                "ORDER BY identity")
            end
            rows.map do |identity, info, state, beat, token|
              {**JSON.parse(info), **JSON.parse(state), "identity" => identity, "beat" => beat,
                                                        "lease" => token}
            end
          end

          def order(identity, order)
            writing do |db|
              tokens = db.rows("SELECT token FROM {leases} WHERE identity = $1 AND {live}",
                identity).flatten
              tokens.each do |token|
                db.run("INSERT INTO {orders} (id, token, word) VALUES ($1, $2, $3)",
                  db.numbers(1).first, token, order)
              end
              tokens.any?
            end
          end

          private

          def orders_for(db, token)
            orders = db.rows("SELECT word FROM {orders} WHERE token = $1 ORDER BY id", token)
              .flatten
            db.run("DELETE FROM {orders} WHERE token = $1", token) unless orders.empty?
            orders
          end
        end
      end
    end
  end
end
