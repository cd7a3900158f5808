# frozen_string_literal: true

require_relative "../sql/repeated_completion"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Removes plain jobs in one statement.
        class Completion < SQL::RepeatedCompletion
          # By the primary key, and not a join: the planner must not use the index on the token,
          # which has all running jobs. See {Driver::BEGINNINGS}.
          DELETE = "DELETE FROM {jobs} WHERE id = ANY($1::bigint[]) " \
            "AND place = ANY($2::bigint[]) AND coalesce(token, 0) = ANY($3::bigint[]) RETURNING id"

          private

          def delete_plain(claims)
            refs = claims.map(&:ref)
            params = [refs.map(&:first), refs.map(&:last),
              claims.map { |claim| claim.lease.token }.uniq]
            @database.retry_conflicts { @database.read { |db| db.rows(DELETE, *params) } }.flatten
          end
        end
      end
    end
  end
end
