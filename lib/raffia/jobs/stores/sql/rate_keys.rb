# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # State of rates by key, each changed under a lock of its own until the commit. A window's
        # starts are rows by their time.
        # @api private
        class RateKeys
          SELECT = "SELECT used, full_at, closed_until, opens_at, rule, {now} FROM {rate_keys} " \
            "WHERE key = $1"
          SAVE = "INSERT INTO {rate_keys} (key, name, rule, used, full_at, closed_until, " \
            "opens_at, idle_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) {upsert key} " \
            "name = {excluded name}, rule = {excluded rule}, used = {excluded used}, " \
            "full_at = {excluded full_at}, closed_until = {excluded closed_until}, " \
            "opens_at = {excluded opens_at}, idle_at = {excluded idle_at}"
          CHANGED = "SELECT rule FROM {rate_limits} WHERE name = $1"
          OLDEST = "SELECT at FROM {rate_starts} WHERE key = $1 ORDER BY at LIMIT 1"
          NEWEST = "SELECT at, number FROM {rate_starts} WHERE key = $1 ORDER BY at DESC LIMIT 1"
          GONE = "SELECT coalesce(sum(number), 0) FROM {rate_starts} WHERE key = $1 AND at <= $2"
          FORGET = "DELETE FROM {rate_starts} WHERE key = $1 AND at <= $2"
          COUNT = "INSERT INTO {rate_starts existing} (key, at, number) VALUES ($1, $2, $3) " \
            "{upsert key,at} number = {existing number} + {excluded number}"
          UNCOUNT = "UPDATE {rate_starts} SET number = $3 WHERE key = $1 AND at = $2"
          # Starts that have left the window, those in the future, and the first one between.
          STARTS = "SELECT (SELECT sum(number) FROM {rate_starts} WHERE key = $1 AND at <= $2), " \
            "(SELECT sum(number) FROM {rate_starts} WHERE key = $1 AND at > $3), " \
            "(SELECT min(at) FROM {rate_starts} WHERE key = $1 AND at > $2)"
          # The first ones that the window has, and how many of them are read: most of a lead's.
          FIRST = "SELECT at, number FROM {rate_starts} WHERE key = $1 AND at > $2 ORDER BY at " \
            "LIMIT #{MOST = 500}".freeze

          # One key in a transaction.
          Key = Struct.new(:db, :key, :spec, :rule, :state, :now, :lead, :limiter) do
            def window? = rule.style != "bucket"

            # Time of the store.
            def left = now - rule.per
          end

          # Yields the key with its limiter, and saves what the block made of it. `spec` is a job's
          # field "rate"; nil: as the last job had it. `ahead`: also starts within the rate's lead.
          # Returns the block's value; nil for a key without a job so far.
          def change(db, key, spec = nil, ahead: false)
            db.lock("rate:#{key}")
            return unless (entry = load(db, key, spec, ahead))

            yield(entry).tap { save(entry) }
          end

          # Takes so many starts back.
          def refund(entry, cost)
            at, number = entry.db.rows(NEWEST, entry.key).first if entry.window?
            entry.db.run(UNCOUNT, entry.key, at, (number - cost).clamp(0..)) if at
            entry.limiter.refund(cost)
          end

          # Like {change}, for readers: nothing is saved.
          def read(db, key)
            state, now, spec = row(db, key)
            return unless state

            Key.new(db, key, spec, rule(db, spec), state, now, 0).tap do |entry|
              entry.limiter = limiter(entry, used(entry)) if spec
            end
          end

          private

          def load(db, key, spec, ahead)
            state, now, saved = row(db, key)
            return unless spec ||= saved

            state ||= Store::RateLimiter::State.initial
            now ||= db.rows("SELECT {now}")[0][0].to_f
            entry = Key.new(db, key, spec, rule(db, spec), state, now, 0)
            entry.lead = entry.rule.lead if ahead
            entry.limiter = Store::RateLimiter.for(entry.rule, state, now,
              entry.window? ? forget_starts(entry) : [])
            entry
          end

          # Its state, the time and the rule of its last job.
          def row(db, key)
            *state, rule, now = db.rows(SELECT, key).first
            [Store::RateLimiter::State.new(*state), now.to_f, rule && JSON.parse(rule)] if now
          end

          def rule(db, spec)
            return unless spec

            changed = db.rows(CHANGED, spec["name"]).dig(0, 0)
            Store::RateLimiter::Rule.of(changed ? JSON.parse(changed) : spec)
          end

          def limiter(entry, used)
            oldest = entry.db.rows(OLDEST, entry.key).dig(0, 0) if entry.window? && used > 0
            entry.state.used = used
            starts = oldest ? [[oldest, 1]] : []
            Store::RateLimiter.for(entry.rule, entry.state, entry.now, starts)
          end

          def used(entry)
            gone = entry.db.rows(GONE, entry.key, entry.left).dig(0, 0) if entry.rule
            (entry.state.used - gone.to_i).clamp(0..)
          end

          # Returns the first starts that the window still has.
          def forget_starts(entry)
            limit = entry.now + entry.rule.grain + entry.rule.lead
            gone, future, oldest = entry.db.rows(STARTS, entry.key, entry.left, limit).first
            oldest = move_to_present(entry, limit, future) if future
            if gone
              entry.db.run(FORGET, entry.key, entry.left)
              entry.state.used = (entry.state.used - gone.to_i).clamp(0..)
            end
            return entry.db.rows(FIRST, entry.key, entry.left) if oldest && entry.lead > 0

            oldest ? [[oldest, 1]] : []
          end

          # After the clock was set back.
          def move_to_present(entry, limit, number)
            entry.db.run("DELETE FROM {rate_starts} WHERE key = $1 AND at > $2", entry.key, limit)
            entry.db.run(COUNT, entry.key, entry.now, number)
            entry.db.rows(OLDEST, entry.key).dig(0, 0)
          end

          def save(entry)
            count(entry)
            state = entry.state
            rule = JSON.generate(entry.spec.except("cost", "key"))
            entry.db.run(SAVE, entry.key, entry.spec["name"].to_s, rule, *state.to_a,
              [entry.now + entry.rule.per, state.full_at].max)
          end

          def count(entry)
            return unless entry.window?

            entry.limiter.taken.each do |time, number|
              if time <= entry.now
                time = Store::RateLimiter::SlidingWindow.slot(entry.rule, entry.now)
              end
              entry.db.run(COUNT, entry.key, time, number)
            end
          end
        end
      end
    end
  end
end
