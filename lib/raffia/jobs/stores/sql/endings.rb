# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # What ends claims, see {Store}. A claim is ours while the row has our token, and its place
        # of then.
        # @api private
        module Endings
          # So written that no planner takes the index on the token, which has all that is in
          # flight.
          ACK = "DELETE FROM {jobs} WHERE id {ids $1} AND coalesce(token, 0) = $2 AND place {ids " \
            "$3} RETURNING #{Ends::COLUMNS}"
          OURS = "WHERE id = $1 AND place = $2 AND token = $3"
          MOVE = "UPDATE {jobs} SET state = 'retry', at = $4, payload = $5, token = NULL #{OURS} " \
            "RETURNING #{Ends::COLUMNS}"
          BURY = "UPDATE {jobs} SET state = 'dead', at = {now}, payload = $4, token = NULL " \
            "#{OURS} RETURNING #{Ends::COLUMNS}"
          PUT_BACK = "UPDATE {jobs} SET state = 'queue', at = {now}, place = $4, token = NULL " \
            "#{OURS} RETURNING #{Ends::COLUMNS}, queue"

          def ack(claims)
            return [] if claims.empty?

            ended = writing do |db|
              by_token(claims).flat_map { |token, refs| end_all(db, token, refs, :done) }
            end
            return claims.map { true } if ended.size == claims.size

            ended = ended.to_h { |id| [id, true] }
            # Of two claims of one job in the same call only the later one can have been ours.
            claims.reverse.map { |claim| ended.delete(claim.ref.first) || false }.reverse
          end

          def retry(claim, payload, at)
            move(MOVE, claim, at, payload) { |db, row| stopped(db, row) }
          end

          def bury(claim, payload)
            move(BURY, claim, payload) { |db, row| left(db, [row], :dead) }
          end

          def discard(claim)
            writing { |db| end_all(db, claim.lease.token, [claim.ref], :dead).any? }
          end

          def release(claims)
            return 0 if claims.empty?

            writing { |db| by_token(claims).sum { |token, refs| put_back(db, refs, token) } }
          end

          private

          def by_token(claims)
            claims.group_by { |claim| claim.lease.token }
              .transform_values { |of_token| of_token.map(&:ref) }
          end

          # @param refs [Array<Array>] id and place
          # @return [Array<Integer>] ids of those that were still ours
          def end_all(db, token, refs, how)
            rows = db.rows(ACK, refs.map(&:first), token, refs.map(&:last))
            left(db, rows, how)
            rows.map(&:first)
          end

          # @return [Boolean]
          def move(sql, claim, *params)
            writing do |db|
              row = db.rows(sql, *claim.ref, claim.lease.token, *params).first
              yield db, row if row
              !row.nil?
            end
          end

          # To the front of their queues: of those that go back together the first is in front.
          # @param refs [Array<Array>] in order
          # @return [Integer] of how many
          def put_back(db, refs, token)
            rows = refs.reverse.zip(db.numbers(refs.size))
              .filter_map do |(id, place), number|
                db.rows(PUT_BACK, id, place, token, -number).first
              end
            rows.each { |row| stopped(db, row) }
            db.wake(rows.map(&:last).uniq)
            rows.size
          end
        end
      end
    end
  end
end
