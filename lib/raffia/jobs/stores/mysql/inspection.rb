# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        class Inspection < SQL::Inspection
          # A subquery in FROM knows no columns of the outer query, so there is one count for each.
          WAITING = "SELECT count(*) FROM (SELECT 1 FROM {jobs} WHERE state = 'queue' " \
            "AND queue = $2 LIMIT $1) AS few"
          FOLLOWING = "SELECT min(queue) FROM {jobs} WHERE state = 'queue' AND queue > $1"

          private

          def sizes(db, most)
            name = ""
            sizes = {}
            while (name = db.rows(FOLLOWING, name).dig(0, 0))
              sizes[name] = db.rows(WAITING, most, name).dig(0, 0)
            end
            sizes
          end
        end
      end
    end
  end
end
