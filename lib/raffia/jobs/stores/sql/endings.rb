# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # What ends claims, see {Store}. A claim is ours while the row has our token.
        # @api private
        module Endings
          ACK = "DELETE FROM {jobs} WHERE id {ids $2} AND token = $1 RETURNING #{Ends::COLUMNS}"
          MOVE = "UPDATE {jobs} SET state = $3, at = $4, payload = $5, token = NULL WHERE id = $1 AND token = $2 RETURNING #{Ends::COLUMNS}"
          BURY = "UPDATE {jobs} SET state = 'dead', at = {now}, payload = $3, token = NULL WHERE id = $1 AND token = $2 RETURNING #{Ends::COLUMNS}"
          PUT_BACK = "UPDATE {jobs} SET state = 'queue', at = {now}, place = $3, token = NULL WHERE id = $1 AND token = $2 " \
            "RETURNING #{Ends::COLUMNS}, queue"

          def ack(claims)
            return [] if claims.empty?

            gone = writing { |db| claims.group_by { |claim| claim.lease.token }.flat_map { |token, of_token| end_all(db, token, of_token, :done) } }
            gone = gone.to_h { |id| [id, true] }
            claims.map { |claim| gone.key?(claim.ref) }
          end

          def retry(claim, payload, at)
            move(MOVE, claim, "retry", at, payload) { |db, row| stopped(db, row) }
          end

          def bury(claim, payload)
            move(BURY, claim, payload) { |db, row| left(db, [row], :dead) }
          end

          def discard(claim)
            writing { |db| end_all(db, claim.lease.token, [claim], :dead).any? }
          end

          def release(claims)
            return 0 if claims.empty?

            writing do |db|
              claims.group_by { |claim| claim.lease.token }.sum { |token, of_token| put_back(db, of_token.map(&:ref), token) }
            end
          end

          private

          # @return [Array<Integer>] those that were still ours
          def end_all(db, token, claims, how)
            rows = db.rows(ACK, token, claims.map(&:ref))
            left(db, rows, how)
            rows.map(&:first)
          end

          # @return [Boolean]
          def move(sql, claim, *params)
            writing do |db|
              row = db.rows(sql, claim.ref, claim.lease.token, *params).first
              yield db, row if row
              !row.nil?
            end
          end

          # To the front of their queues: of those that go back together the first is in front.
          # @param ids [Array<Integer>] in order
          # @return [Integer] of how many
          def put_back(db, ids, token)
            return 0 if ids.empty?

            rows = ids.reverse.zip(db.numbers(ids.size)).filter_map { |id, number| db.rows(PUT_BACK, id, token, -number).first }
            rows.each { |row| stopped(db, row) }
            db.wake(rows.map(&:last).uniq)
            rows.size
          end
        end
      end
    end
  end
end
