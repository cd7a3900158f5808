# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # A lease is a row. {Recovery#recover} deletes it and takes the jobs in one step.
        class Leases < Store::Leases
          ENROLL = "INSERT INTO {leases} (token, identity, info, state, ttl, ends_at, beat) " \
            "VALUES ($1, $2, $3, '{}', $4, {uptime} + $4, {now})"
          BEAT = "UPDATE {leases} SET ends_at = {uptime} + ttl, beat = {now}, state = $3 " \
            "WHERE token = $1 AND identity = $2"
          RENEW = "UPDATE {leases} SET ends_at = {uptime} + ttl WHERE token = $1 AND identity = $2"
          # The clock's, or one more than the last: a database that comes back with older data must
          # not give a token twice.
          TOKEN = "INSERT INTO {counters existing} (name, value) VALUES ('token', $1) " \
            "{upsert name} value = CASE WHEN {existing value} < {excluded value} " \
            "THEN {excluded value} ELSE {existing value} + 1 END {returning} value"
          HELD = "SELECT id, place FROM {jobs} WHERE token = $1"
          HELD_IN_ORDER = "#{HELD} ORDER BY place {lock}".freeze
          LIVE = "SELECT identity, info, state, beat, token FROM {leases} WHERE {live} " \
            "ORDER BY identity"
          TOKENS = "SELECT token FROM {leases} WHERE identity = $1 AND {live}"
          ORDER = "INSERT INTO {orders} (id, token, word) VALUES ($1, $2, $3)"
          ORDERS = "SELECT word FROM {orders} WHERE token = $1 ORDER BY id"

          needs :database, :completion, :statistics

          def enroll(identity, info, ttl: Store::LEASE)
            time = ::Process.clock_gettime(::Process::CLOCK_REALTIME, :microsecond)
            @database.write do |db|
              token = next_token(db, time)
              db.run(ENROLL, token, identity, JSON.generate(info), ttl.to_f)
              Lease.new(identity: identity, token: token, ttl: ttl)
            end
          end

          def beat(lease, state = {}, tally: nil)
            @database.write(durable: false) do |db|
              @statistics.add(db, tally) if tally
              beat = db.run(BEAT, lease.token, lease.identity, JSON.generate(state))
              orders_for(db, lease.token) if beat == 1
            end
          end

          def renew(lease)
            @database.write(durable: false) { |db| db.run(RENEW, lease.token, lease.identity) == 1 }
          end

          def claim_keys(lease) = @database.read { |db| db.rows(HELD, lease.token) }

          def release_keys(lease, keys)
            @database.write { |db| @completion.put_back(db, keys.sort_by(&:last), lease.token) }
          end

          def resign(lease, tally: nil)
            @database.write do |db|
              @statistics.add(db, tally) if tally
              lock(db, lease)
              @completion.put_back(db, db.rows(HELD_IN_ORDER, lease.token), lease.token)
              remove(db, lease)
            end
            nil
          end

          def processes
            rows = @database.read { |db| db.rows(LIVE) }
            rows.map do |identity, info, state, beat, token|
              {**JSON.parse(info), **JSON.parse(state),
                "identity" => identity, "beat" => beat, "lease" => token}
            end
          end

          def order(identity, order)
            @database.write do |db|
              tokens = db.rows(TOKENS, identity).flatten
              tokens.each { |token| db.run(ORDER, db.numbers(1).first, token, order) }
              tokens.any?
            end
          end

          # For a database that must lock rows in one order.
          def lock(_db, _lease) = nil

          def remove(db, lease)
            %w[leases orders].each do |table|
              db.run("DELETE FROM {#{table}} WHERE token = $1", lease.token)
            end
          end

          private

          def next_token(db, time) = db.rows(TOKEN, time).dig(0, 0)

          def orders_for(db, token)
            orders = db.rows(ORDERS, token).flatten
            db.run("DELETE FROM {orders} WHERE token = $1", token) unless orders.empty?
            orders
          end
        end
      end
    end
  end
end
