# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Keeps claims within rates, and moves jobs that were over theirs back to their queues.
        # @api private
        class RateAdmission
          BLOCK = "UPDATE {jobs} SET state = 'blocked', rated = 1, token = NULL, at = {now} " \
            "WHERE id {ids $1}"
          # Others of the same key, so that later claims need not look at each of them. Those with
          # a limit stay: they may be the ones that free its blocked jobs.
          BLOCK_MORE = "UPDATE {jobs} SET state = 'blocked', rated = 1, at = {now} WHERE id IN " \
            "(SELECT id FROM {jobs} WHERE state = 'queue' AND rate_key = $1 " \
            "AND limit_key IS NULL AND priority < #{Store::SUSPECTS} LIMIT $2 {skip_locked})"
          MORE = 1000
          OPEN = "SELECT key FROM {rate_keys} WHERE opens_at <= {now} ORDER BY opens_at LIMIT $1"
          OPENS = "SELECT opens_at - {now} FROM {rate_keys} WHERE opens_at IS NOT NULL " \
            "ORDER BY opens_at LIMIT 1"
          BLOCKED = "SELECT id, rate_cost, queue, priority, fair_key, fair_weight FROM {jobs} " \
            "WHERE rated = 1 AND rate_key = $1 ORDER BY priority DESC, place LIMIT $2"
          # Jobs keep their place, before those that came later.
          UNBLOCK = "UPDATE {jobs} SET state = 'queue', rated = 0, at = {now}, pass = $2 " \
            "WHERE id {ids $1}"

          def initialize(keys)
            @keys = keys
          end

          # Blocks the claimed jobs that may not start now, and returns them.
          def refuse(db, jobs)
            rated = jobs.select(&:rate_key)
            return rated if rated.empty?

            lock(db, rated.map(&:rate_key))
            rated.group_by(&:rate_key).sort.flat_map { |key, some| refuse_of_key(db, key, some) }
          end

          # Moves at most so many jobs.
          def open(db, limit)
            keys = db.rows(OPEN, limit).flatten
            lock(db, keys)
            keys.sum { |key| open_key(db, key, limit) }
          end

          # Seconds until a rate opens, nil when none blocks a job.
          def next_opening(db) = db.rows(OPENS).dig(0, 0)

          # The jobs did not begin.
          def refund(db, jobs)
            rated = jobs.select(&:rate_key)
            lock(db, rated.map(&:rate_key))
            rated.group_by(&:rate_key).sort.each do |key, some|
              @keys.change(db, key) do |entry|
                @keys.refund(entry, some.sum { |job| job.rate_cost })
              end
            end
          end

          private

          def lock(db, keys)
            db.lock_in_order(keys.map { |key| "rate:#{key}" }) if keys.size > 1
          end

          def refuse_of_key(db, key, jobs)
            @keys.change(db, key, JSON.parse(jobs.last.rate)) do |entry|
              refused = jobs.drop(entry.limiter.grant(jobs.map(&:rate_cost)))
              block(db, entry, refused) if refused.any?
              refused
            end
          end

          def block(db, entry, jobs)
            db.run(BLOCK, jobs.map(&:id))
            db.run(BLOCK_MORE, entry.key, MORE)
            entry.state.opens_at ||= entry.limiter.opens_at(jobs.first.rate_cost)
          end

          def open_key(db, key, limit)
            @keys.change(db, key) do |entry|
              tokens = entry.limiter.tokens.clamp(0, limit)
              blocked = db.rows(BLOCKED, key, tokens + 1)
              fit = fitting(blocked, tokens)
              unblock(db, fit)
              left = blocked.drop(fit.size)
              entry.state.opens_at = (entry.limiter.opens_after(tokens, left[0][1]) if left.any?)
              fit.size
            end || 0
          end

          def fitting(jobs, tokens) = jobs.take_while { |job| (tokens -= job[1]) >= 0 }

          def unblock(db, jobs)
            turns = FairTurns.new(db)
            passes = jobs.map do |_, _, queue, priority, key, weight|
              turns.next_of_key(queue, priority, key, weight)
            end
            jobs.map(&:first).zip(passes).group_by(&:last).each do |pass, some|
              db.run(UNBLOCK, some.map(&:first), pass)
            end
            db.wake(jobs.map { |job| job[2] }.uniq)
          end
        end
      end
    end
  end
end
