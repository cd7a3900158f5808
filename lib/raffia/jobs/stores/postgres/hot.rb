# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # What is done most, in one statement and so in one round trip: to enqueue, claim and ack
        # many. What of it has more to it (a limit, a batch, a unique key, an expiry) goes the way
        # that all databases share.
        # @api private
        module Hot
          KEEP = "WITH draft AS (SELECT nextval('{numbers}') AS id, {now} AS now, d.* FROM " \
            "unnest($1::text[], $2::text[], $3::float8[], $4::bigint[], $5::bytea[]) AS d (jid, " \
            "queue, due, priority, payload)), " \
            "kept AS (INSERT INTO {jobs} (id, jid, queue, state, priority, place, at, payload) " \
            "SELECT id, jid, queue, " \
            "CASE WHEN due > now THEN 'scheduled' ELSE 'queue' END, priority, id, greatest(due, " \
            "now), payload FROM draft) " \
            "SELECT pg_notify(name, '') FROM unnest($6::text[]) AS name"
          # Goes through the queues one by one and stops when it has enough: LIMIT takes rows from
          # beneath only as it needs them, and only those are locked. As durable as all else: what a
          # crash took back, another worker would be given while this one does it.
          TAKE = "WITH open AS (SELECT wanted.name, wanted.number FROM unnest($2::text[]) WITH " \
          "ORDINALITY AS wanted (name, number) " \
            "WHERE EXISTS (SELECT FROM {leases} WHERE token = $1) " \
            "AND NOT EXISTS (SELECT FROM {queues} AS q WHERE q.name = wanted.name AND paused = " \
            "1) ORDER BY number), " \
            "next AS MATERIALIZED (SELECT job.id FROM open CROSS JOIN LATERAL (SELECT id FROM " \
            "{jobs} WHERE queue = open.name " \
            "AND state = 'queue' AND priority < #{Store::SUSPECTS} ORDER BY priority DESC, place " \
            "LIMIT $3 FOR UPDATE SKIP LOCKED) AS job LIMIT $3) " \
            "UPDATE {jobs} SET state = 'running', token = $1, at = {now} WHERE id = " \
            "ANY(ARRAY(SELECT id FROM next)) " \
            "RETURNING id, place, payload, special, priority, queue"
          TAKE_SUSPECTS = TAKE.sub("priority <", "priority >=").freeze
          # By the primary key: what is in flight has an index on the token, and the planner must
          # not take that. Neither this nor TAKE is a join, see {Driver::BEGINNINGS}.
          DROP = "DELETE FROM {jobs} WHERE id = ANY($1::bigint[]) AND place = ANY($2::bigint[]) " \
            "AND coalesce(token, 0) = ANY($3::bigint[]) RETURNING id"
          # What makes a job's end mean more than that it is gone.
          SPECIAL = %w[unique limit batch expires_at].freeze
          private_constant :KEEP, :TAKE, :TAKE_SUSPECTS, :DROP, :SPECIAL

          # (see Store#enqueue)
          def enqueue(drafts, guard: nil)
            queues = drafts.map(&:queue).uniq
            make_known(queues)
            return super if guard || drafts.any? { |draft| special?(draft) }

            once { |db| db.rows(KEEP, *columns(drafts), @words.channels(queues)) }
            drafts.map(&:jid)
          end

          # (see Store#claim)
          def claim(lease, queues, limit, suspects: false)
            return [] if limit < 1 || queues.empty?

            taking(lease) do
              transaction(:by_index) do |db|
                fill_from_all(db, lease, queues, limit, suspects ? TAKE_SUSPECTS : TAKE)
              end
            end
          end

          # The planner knows of no suspects, and would read all that waits.
          # (see Store#suspects?)
          def suspects?(queues)
            transaction(:by_index) { |db| db.rows(SQL::Claims::SUSPECT, queues) }.any?
          end

          # (see Store#ack)
          def ack(claims)
            more, plain = claims.partition(&:extras)
            gone = plain.empty? ? [] : drop(plain)
            gone = [*gone.flatten,
              *more.zip(super(more)).filter_map { |claim, ours|
                claim.ref.first if ours
              }].to_h { |id| [id, true] }
            claims.map { |claim| !gone.delete(claim.ref.first).nil? }
          end

          private

          # One statement is a transaction of its own.
          def once(&) = reading(&)

          def special?(draft) = draft.extras && SPECIAL.any? { |field| draft.extras[field] }

          def columns(drafts)
            [drafts.map(&:jid), drafts.map(&:queue), drafts.map { |draft| draft.at&.to_f },
              drafts.map { |draft| draft.extras ? Store::Death.priority(draft.extras) : 0 },
              drafts.map { |draft| draft.payload.b }]
          end

          # Of those that are taken some may turn out to be no jobs for now, so others are taken for
          # them.
          def fill_from_all(db, lease, queues, limit, take)
            claims = []
            while (wanted = limit - claims.size) > 0
              taken = in_their_order(db.rows(take, lease.token, queues, wanted), queues)
              fit = fit(db, taken)
              fit.each do |id, place, payload, *, queue|
                claims << Claim.new(lease, [id, place], queue, payload)
              end
              break if fit.size == taken.size
            end
            claims
          end

          # Which no database promises by itself.
          def in_their_order(rows, queues)
            rows.sort_by { |row| [queues.index(row[5]), -row[4], row[1]] }
          end

          def drop(claims)
            refs = claims.map(&:ref)
            again do
              once do |db|
                db.rows(DROP, refs.map(&:first), refs.map(&:last),
                  claims.map { |claim| claim.lease.token }.uniq)
              end
            end
          end

          # Queues stay known when they are empty. Not on somebody else's connection: others who
          # name the queue would wait for its end.
          def make_known(queues)
            queues -= @known
            return if queues.empty?

            ready
            session do |db|
              db.run("INSERT INTO {queues} (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING",
                queues)
            end
            @known = (@known | queues).freeze
          end

          # Only those that {#make_known} has not seen: of the callbacks of batches.
          def name_queues(db, names) = super(db, names - @known)

          def forget_queues(db, queue)
            super
            @known = [].freeze
          end
        end
      end
    end
  end
end
