# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # See {Store#claim}.
        # @api private
        module Claims
          TAKE = "UPDATE {jobs} SET state = 'running', token = $1, at = {now} WHERE id IN " \
          "(SELECT id FROM {jobs} WHERE queue = $2 AND " \
            "state = 'queue' AND priority < #{Store::SUSPECTS} ORDER BY priority DESC, place " \
            "LIMIT $3 {skip_locked}) " \
            "RETURNING id, place, payload, special, priority"
          TAKE_SUSPECTS = TAKE.sub("priority <", "priority >=").freeze
          SUSPECT = "SELECT 1 FROM {jobs} WHERE queue {names $1} AND state = 'queue' AND " \
          "priority >= #{Store::SUSPECTS} " \
            "AND queue NOT IN (SELECT name FROM {queues} WHERE paused = 1) LIMIT 1"
          SPECIAL = "SELECT id, limit_key, limit_max, unique_key, unique_start, CASE WHEN " \
            "expires_at <= {now} THEN 1 ELSE 0 END FROM {jobs} WHERE id = $1"
          BLOCK = "UPDATE {jobs} SET state = 'blocked', token = NULL, at = {now} WHERE id = $1"
          # What has to be looked at before a job is run.
          Terms = Struct.new(:id, :limit_key, :limit_max, :unique_key, :unique_start, :expired)

          # Not durable: a power cut takes it back, and then the job waits again, which is what
          # would be done with it in any case.
          def claim(lease, queues, limit, suspects: false)
            return [] if limit < 1

            writing(durable: false) do |db|
              next [] if db.rows("SELECT 1 FROM {leases} WHERE token = $1", lease.token).empty?

              (queues - paused_queues(db)).each_with_object([]) do |queue, claims|
                fill(db, claims, lease, queue, limit, suspects)
              end
            end
          end

          def suspects?(queues) = reading { |db| db.rows(SUSPECT, queues) }.any?

          private

          def paused_queues(db) = db.rows("SELECT name FROM {queues} WHERE paused = 1").flatten

          # Of those that are taken some may turn out to be no jobs for now, so others are taken for
          # them.
          def fill(db, claims, lease, queue, limit, suspects)
            while (wanted = limit - claims.size) > 0
              rows = db.rows(suspects ? TAKE_SUSPECTS : TAKE, lease.token, queue, wanted)
              fit = fit(db, in_order(rows))
              # A job's place is another one each time that it comes to a queue, so it tells one
              # claim of it from the next.
              fit.each do |id, place, payload|
                claims << Claim.new(lease, [id, place], queue, payload)
              end
              break if fit.size == rows.size
            end
          end

          # A database returns rows in any order.
          def in_order(rows) = (rows.size < 2) ? rows : rows.sort_by { |row| [-row[4], row[1]] }

          # @return [Array<Array>] those rows whose jobs are to be run now
          def fit(db, rows)
            return rows if rows.all? { |row| row[3].zero? }

            terms = rows.filter_map do |row|
              Terms.new(*db.rows(SPECIAL, row[0]).first) if row[3] == 1
            end
            refused = refuse(db, terms)
            terms.each do |job|
              if job.unique_start == 1 && !refused.include?(job.id)
                unlock(db, job.unique_key, job.id)
              end
            end
            rows.reject { |row| refused.include?(row[0]) }
          end

          # All of them run already as far as the limits can see, so those that are too many are
          # found from the back.
          # @return [Array<Integer>] ids
          def refuse(db, terms)
            expired, others = terms.partition { |job| job.expired == 1 }
            over = others.reverse.select do |job|
              job.limit_key && over?(db, job.limit_key, job.limit_max) && block(db, job.id)
            end
            expired.each do |job|
              left(db, db.rows("DELETE FROM {jobs} WHERE id = $1 RETURNING #{Ends::COLUMNS}",
                job.id), :dead)
            end
            (expired + over).map(&:id)
          end

          def block(db, id) = db.run(BLOCK, id)
        end
      end
    end
  end
end
