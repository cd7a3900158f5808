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
          OPEN = "SELECT key FROM {rate_keys} WHERE opens_at <= {now} + $2 ORDER BY opens_at " \
            "LIMIT $1"
          NEXT = "SELECT opens_at - {now}, rule FROM {rate_keys} WHERE opens_at IS NOT NULL " \
            "ORDER BY opens_at LIMIT 1"
          BLOCKED = "SELECT id, rate_cost, queue, priority, fair_key, fair_weight FROM {jobs} " \
            "WHERE state = 'blocked' AND rated = 1 AND rate_key = $1 " \
            "ORDER BY priority DESC, place LIMIT $2"
          # Jobs keep their place, before those that came later.
          UNBLOCK = "UPDATE {jobs} SET state = 'queue', rated = 0, at = {now}, pass = $2 " \
            "WHERE id {ids $1} AND state = 'blocked'"

          def initialize(keys)
            @keys = keys
            @timer = Store::RateLimiter::OpeningTimer.new
          end

          # Blocks the claimed jobs that may not start now, and returns them. `ahead`: others may
          # start soon, and are told by when.
          def refuse(db, jobs, ahead: false)
            rated = jobs.select(&:rate_key)
            return rated if rated.empty?

            lock(db, rated.map(&:rate_key))
            rated.group_by(&:rate_key).sort
              .flat_map { |key, some| refuse_of_key(db, key, some, ahead) }
          end

          # Moves at most so many jobs to their queues, whose names it returns.
          def open_keys(db, limit, ahead: false)
            keys = db.rows(OPEN, limit, ahead ? Store::RateLimiter::LEAD : 0).flatten
            lock(db, keys)
            keys.flat_map { |key| open_key(db, key, limit, ahead) }.uniq
          end

          # The same before a claim, which knows mostly that there is nothing to open. It is a
          # transaction of its own, because a claim waits for limits before rates. Others are
          # notified at once: the claim may fail.
          def open_before_claim(database, limit, ahead)
            return unless @timer.due?

            database.write(durable: false) do |db|
              names = open_keys(db, limit, ahead: ahead)
              next_opening(db)
              db.wake(names)
            end
          end

          # Seconds until the next rate opens, nil when none blocks a job.
          def next_opening(db)
            seconds, rule = db.rows(NEXT).first
            @timer.opens_in(seconds, seconds && lead(rule))
            seconds
          end

          # Seconds until a worker that waits should claim, by what this process knows.
          def seconds_until_look = @timer.seconds&.clamp(0..)

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

          # A key that was closed by hand has no rule so far.
          def lead(rule)
            spec = JSON.parse(rule)
            spec ? Store::RateLimiter::Rule.of(spec).lead : 0
          end

          def lock(db, keys)
            db.lock_in_order(keys.map { |key| "rate:#{key}" }) if keys.size > 1
          end

          def refuse_of_key(db, key, jobs, ahead)
            @keys.change(db, key, JSON.parse(jobs.last.rate), ahead: ahead) do |entry|
              times = entry.limiter.grant(jobs.map(&:rate_cost), entry.lead)
              jobs.zip(times) { |job, time| job.delay = time - entry.now if time&.>(entry.now) }
              refused = jobs.drop(times.size)
              block(db, entry, refused) if refused.any?
              refused
            end
          end

          def block(db, entry, jobs)
            db.run(BLOCK, jobs.map(&:id))
            db.run(BLOCK_MORE, entry.key, MORE)
            entry.state.opens_at ||= entry.limiter.opens_at(jobs.first.rate_cost)
            @timer.opens_earlier(entry.state.opens_at - entry.now, entry.rule.lead)
          end

          # Returns the names of queues.
          def open_key(db, key, limit, ahead)
            @keys.change(db, key, ahead: ahead) do |entry|
              tokens = entry.limiter.tokens(entry.lead).clamp(0, limit)
              blocked = db.rows(BLOCKED, key, tokens + 1)
              fit = fitting(blocked, tokens)
              unblock(db, fit)
              left = blocked.drop(fit.size)
              entry.state.opens_at =
                (entry.limiter.opens_after(tokens, left[0][1], entry.lead) if left.any?)
              fit.map { |job| job[2] }
            end || []
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
          end
        end
      end
    end
  end
end
