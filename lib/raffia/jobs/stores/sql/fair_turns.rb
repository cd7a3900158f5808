# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Turns of jobs that come to a fair queue in one transaction. Jobs that wait tell the turns
        # of others, so no counter is locked until an application's transaction ends.
        # @api private
        class FairTurns
          BASE = "SELECT pass FROM {jobs} WHERE queue = $1 AND state = 'queue' AND priority = $2 " \
            "AND pass > 0 ORDER BY pass LIMIT 1"
          LAST = "SELECT pass FROM {jobs} WHERE queue = $1 AND state = 'queue' AND fair_key = $2 " \
            "AND priority = $3 ORDER BY pass DESC LIMIT 1"

          # `lasts`: what {LAST} would find, by queue, priority and key.
          def initialize(db, lasts = {})
            @db = db
            @bases = {}
            @lasts = lasts
          end

          # Returns the job's pass; 0 without a key.
          def next(queue, priority, fair)
            return 0 unless fair

            key = [queue, priority, fair["key"]]
            @lasts[key] = Store::FairOrder.pass(fair, base(queue, priority), last(key))
          end

          # The same by the columns of a job.
          def next_of_key(queue, priority, key, weight)
            self.next(queue, priority, key && {"key" => key, "weight" => weight})
          end

          private

          def base(queue, priority)
            @bases.fetch([queue, priority]) do |place|
              @bases[place] = @db.rows(BASE, queue, priority).dig(0, 0)
            end
          end

          def last(key)
            queue, priority, name = key
            @lasts.fetch(key) { @db.rows(LAST, queue, name, priority).dig(0, 0) }
          end
        end
      end
    end
  end
end
