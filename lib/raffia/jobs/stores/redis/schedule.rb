# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        class Schedule < Store::Schedule
          needs :redis, :format

          def promote(limit = 1000, rates: true)
            scheduled, failed, soonest, open = @redis.script(:due, limit, rates ? 1 : 0, safe: true)
            @redis.move("queue", rows("schedule", scheduled) + rows("retry", failed))
            return 0 if scheduled.size + failed.size == limit
            return @redis.script(:open, limit) && promote(limit) if open == 1

            soonest.empty? ? nil : soonest.to_f
          end

          def now
            seconds, microseconds = @redis.call("TIME")
            seconds.to_i + microseconds.to_i / 1e6
          end

          private

          def rows(set, payloads)
            payloads.map do |payload|
              [set, payload, @format.outgoing(Store::Rewrite.queued(payload)), queue(payload)]
            end
          end

          # Another program may have written anything.
          def queue(payload)
            name = Payload.fields(payload)["queue"]
            (name.is_a?(String) && !name.empty?) ? name : "default"
          end
        end
      end
    end
  end
end
