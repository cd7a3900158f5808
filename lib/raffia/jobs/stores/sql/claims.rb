# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class Claims < Store::Claims
          TAKE = "UPDATE {jobs} SET state = 'running', token = $1, at = {now} WHERE id IN " \
            "(SELECT id FROM {jobs} WHERE queue = $2 AND state = 'queue' " \
            "AND priority < #{Store::SUSPECTS} ORDER BY priority DESC, pass, " \
            "place LIMIT $3 {skip_locked}) {returning} id, place, payload, " \
            "#{TenantPauses::SPECIAL}, priority, pass".freeze
          TAKE_SUSPECTS = TAKE.sub("priority <", "priority >=").freeze
          SUSPECT = "SELECT 1 FROM {jobs} WHERE queue {names $1} AND state = 'queue' " \
            "AND priority >= #{Store::SUSPECTS} AND queue NOT IN (SELECT name FROM {queues} " \
            "WHERE paused = 1) LIMIT 1"
          SPECIAL = "SELECT id, limit_key, limit_max, unique_key, unique_start, rate, rate_key, " \
            "rate_cost, CASE WHEN expires_at <= {now} THEN 1 ELSE 0 END, queue FROM {jobs} " \
            "WHERE id {ids $1}"
          BLOCK = "UPDATE {jobs} SET state = 'blocked', token = NULL, at = {now} WHERE id {ids $1}"
          # Others that would be over the same limit, so that claims need not look at each of them.
          # The end of each running job returns one of them.
          BLOCK_MORE = "UPDATE {jobs} SET state = 'blocked', at = {now} WHERE id IN (SELECT id " \
            "FROM {jobs} WHERE state = 'queue' AND limit_key = $1 AND limit_max <= $2 " \
            "AND queue = $3 AND priority < #{Store::SUSPECTS} LIMIT $4 {skip_locked})"
          MORE = 1000
          RUNNING = "SELECT count(*) FROM {jobs} WHERE limit_key = $1 AND state = 'running'"
          EXPIRE = "DELETE FROM {jobs} WHERE id = $1 {returning} #{Cleanup::COLUMNS}"
          LOCK_KEY = "SELECT 1 FROM {uniques} WHERE key = $1 {lock}"
          Conditions = Struct.new(:id, :limit_key, :limit_max, :unique_key, :unique_start, :rate,
            :rate_key, :rate_cost, :expired, :queue, :delay)
          # Times that a claim looks for other jobs when rates and limits refuse some: it ends soon.
          ROUNDS = 20

          needs :database, :cleanup, :names, :rate_admission, :tenant_pauses

          # Not durable: a power cut takes a claim back, and then the job waits again, as it should.
          def claim(lease, queues, limit, suspects: false, ahead: false)
            return [] if limit < 1

            take = suspects ? TAKE_SUSPECTS : TAKE
            @rate_admission.open_before_claim(@database, limit, ahead)
            @database.write(durable: false) do |db|
              next [] if db.rows("SELECT 1 FROM {leases} WHERE token = $1", lease.token).empty?

              (queues - @names.paused(db)).each_with_object([]) do |queue, claims|
                fill(claims, limit) { |wanted| take_from(db, take, lease, queue, wanted, ahead) }
              end
            end
          end

          def suspects?(queues) = @database.read { |db| db.rows(SUSPECT, queues) }.any?

          private

          # Takes more when some of the jobs taken may not run now. The block returns claims, and
          # whether there may be more.
          def fill(claims, limit)
            ROUNDS.times do
              taken, more = yield limit - claims.size
              claims.concat(taken)
              return claims unless more && claims.size < limit
            end
            claims
          end

          # A job's place is new each time that it comes to a queue, so it tells one claim of it
          # from the next.
          def take_from(db, take, lease, queue, wanted, ahead)
            rows = sorted(db.rows(take, lease.token, queue, wanted))
            claims = runnable(db, rows, ahead) { |id, place, payload|
              Claim.new(lease, [id, place], queue, payload)
            }
            [claims, claims.size < rows.size]
          end

          # A database returns rows in any order.
          # Those of a plain queue differ in their places only, which sort several times faster.
          def sorted(rows)
            return rows if rows.size < 2
            return rows.sort_by { |row| row[1] } if rows.all? { |row| alike?(row, rows[0]) }

            rows.sort_by { |row| order(row) }
          end

          def alike?(row, other) = row[4] == other[4] && row[5] == other[5]

          def order(row) = [-row[4], row[5], row[1]]

          # Claims of jobs that may run now, or soon. Yields their rows.
          def runnable(db, rows, ahead, &)
            return rows.map(&) if rows.all? { |row| row[3].zero? }

            paused = paused_jobs(db, rows)
            rows = rows.reject { |row| paused.key?(row[0]) }
            ids = rows.filter_map { |row| row[0] unless (row[3] % TenantPauses::MARK).zero? }
            special = conditions(db, ids)
            refused = refuse(db, special, paused.values.compact, ahead)
            special.each do |job|
              free = job.unique_start == 1 && !refused.include?(job.id)
              @cleanup.free_key(db, job.unique_key, job.id) if free
            end
            rows = rows.reject { |row| refused.include?(row[0]) }
            delayed(rows.map(&), rows, special)
          end

          # Limit keys of jobs that a pause blocks, by their ids.
          def paused_jobs(db, rows)
            ids = rows.filter_map { |row| row[0] if row[3] >= TenantPauses::MARK }
            ids.empty? ? {} : @tenant_pauses.block(db, ids)
          end

          def delayed(claims, rows, special)
            delays = special.filter_map { |job| [job.id, job.delay] if job.delay }.to_h
            claims.zip(rows) { |claim, row| claim.delay = delays[row[0]] } if delays.any?
            claims
          end

          # In the order of the ids.
          def conditions(db, ids)
            db.rows(SPECIAL, ids).map { |row| Conditions.new(*row) }
              .sort_by { |job| ids.index(job.id) }
          end

          # Returns the ids. `freed` has limit keys of jobs that have left the claim before.
          def refuse(db, special, freed, ahead)
            lock_unique_keys(db, special)
            expired, others = special.partition { |job| job.expired == 1 }
            expire(db, expired) if expired.any?
            freed += expired.filter_map(&:limit_key)
            limits = (others.filter_map(&:limit_key) + freed).uniq
            db.lock_in_order(limits.map { |key| "limit:#{key}" }) if limits.size > 1
            blocked = others.select(&:limit_key).group_by(&:limit_key).sort
              .flat_map { |key, jobs| over_limit(db, key, jobs) }
            freed.each { |key| @cleanup.unblock_next(db, key) }
            (expired + blocked + over_rate(db, others - blocked, ahead)).map(&:id)
          end

          # All that the claim frees. Their locks come before those of batches and limits.
          def lock_unique_keys(db, jobs)
            keys = jobs.select { |job| job.unique_start == 1 || job.expired == 1 }
              .filter_map(&:unique_key)
            keys.uniq.sort.each { |key| db.rows(LOCK_KEY, key) }
          end

          def expire(db, jobs)
            rows = jobs.flat_map { |job| db.rows(EXPIRE, job.id) }
            @cleanup.ended(db, rows, :dead, unblock: false)
            jobs.each { |job| count_expired(job.queue) }
          end

          # Jobs over their rate free their places in limits.
          def over_rate(db, jobs, ahead)
            @rate_admission.refuse(db, jobs, ahead: ahead).each do |job|
              @cleanup.unblock_next(db, job.limit_key)
            end
          end

          # All jobs count as running already, so excess is found from the back.
          def over_limit(db, key, jobs)
            db.lock("limit:#{key}")
            running = db.rows(RUNNING, key).dig(0, 0)
            blocked = jobs.reverse.select { |job| running > job.limit_max && running -= 1 }
            return blocked if blocked.empty?

            db.run(BLOCK, blocked.map(&:id))
            blocked.map(&:queue).uniq
              .each { |queue| db.run(BLOCK_MORE, key, running, queue, MORE) }
            blocked
          end
        end
      end
    end
  end
end
