# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # A claim is valid while its row has the lease's token and the claim's place.
        class Completion < Store::Completion
          # The index on the token has all running jobs; this form keeps planners from using it.
          ACK = "DELETE FROM {jobs} WHERE id {ids $1} AND coalesce(token, 0) = $2 " \
            "AND place {ids $3} {returning} #{Cleanup::COLUMNS}"
          OURS = "WHERE id = $1 AND place = $2 AND token = $3 " \
            "{returning} #{Cleanup::COLUMNS}".freeze
          RETRY = "UPDATE {jobs} SET state = 'retry', at = $4, payload = $5, token = NULL " \
            "#{OURS}"
          BURY = "UPDATE {jobs} SET state = 'dead', at = {now}, payload = $4, token = NULL " \
            "#{OURS}".freeze
          PUT_BACK = "UPDATE {jobs} SET state = 'queue', at = {now}, place = $4, token = NULL " \
            "#{OURS}, queue, rate_key, rate_cost"
          RatedJob = Struct.new(:rate_key, :rate_cost)
          private_constant :RatedJob

          needs :database, :cleanup, :rate_admission

          def ack(claims)
            return [] if claims.empty?

            results = results_of(claims)
            ids = @database.write { |db| finish(db, claims, :done, results) }
            return claims.map { true } if ids.size == claims.size

            ids = ids.to_h { |id| [id, true] }
            # Two claims of one job in the same call: only the later one can be valid.
            claims.reverse.map { |claim| ids.delete(claim.ref.first) || false }.reverse
          end

          def retry(claim, payload, at)
            move(RETRY, claim, at, payload) { |db, row| @cleanup.stopped(db, row) }
          end

          def bury(claim, payload)
            move(BURY, claim, payload) { |db, row| @cleanup.ended(db, [row], :dead) }
          end

          def discard(claim)
            @database.write { |db| finish(db, [claim], :dead).any? }
          end

          def release(claims, begun: true)
            return 0 if claims.empty?

            @database.write do |db|
              rows = by_token(claims).sort.flat_map { |token, refs| to_front(db, refs, token) }
              stopped(db, rows, begun)
            end
          end

          # Moves jobs to the front of their queues, the first of them foremost.
          def put_back(db, refs, token) = stopped(db, to_front(db, refs, token), true)

          private

          def to_front(db, refs, token)
            refs.reverse.zip(db.numbers(refs.size)).filter_map do |(id, place), number|
              db.rows(PUT_BACK, id, place, token, -number).first
            end
          end

          def stopped(db, rows, begun)
            @cleanup.stopped(db, *rows)
            @rate_admission.refund(db, rows.map { |row| RatedJob.new(*row.last(2)) }) unless begun
            db.wake(rows.map { |row| row[-3] }.uniq)
            rows.size
          end

          def by_token(claims)
            claims.group_by { |claim| claim.lease.token }
              .transform_values { |some| some.map(&:ref) }
          end

          def results_of(claims)
            claims.filter_map { |claim| [claim.ref.first, claim.result] if claim.result }.to_h
          end

          # Returns the ids of the valid ones. All jobs come before what they held.
          def finish(db, claims, how, results = {})
            rows = by_token(claims).sort.flat_map do |token, refs|
              db.rows(ACK, refs.map(&:first), token, refs.map(&:last))
            end
            @cleanup.ended(db, rows, how, results: results)
            rows.map(&:first)
          end

          def move(sql, claim, *params)
            @database.write do |db|
              row = db.rows(sql, *claim.ref, claim.lease.token, *params).first
              yield db, row if row
              !row.nil?
            end
          end
        end
      end
    end
  end
end
