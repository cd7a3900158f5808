# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # What any worker does now and then. Payloads change here, and the script that moves them looks whether they are still what was changed.
        module Upkeep
          # How many are moved by one script: others wait for Redis meanwhile.
          SLICE = 100

          # @see Store#promote
          def promote(limit = 1000)
            scheduled, failed, soonest = script(:due, limit, safe: true)
            move("queue", promoted("schedule", scheduled) + promoted("retry", failed))
            return 0 if scheduled.size + failed.size == limit

            soonest.empty? ? nil : soonest.to_f
          end

          # @see Store#recover
          def recover
            recovered = []
            until (lost = script(:expired, safe: true)).empty?
              lost.each do |token, *claims|
                # The one that goes back last is in front.
                claims.each_slice(2).sort_by { |field, _| Taken.read(field) }.reverse_each { |field, payload| recovered << bring_back(token, field, payload) }
              end
            end
            recovered.compact.reverse
          end

          # @see Store#prune
          def prune(dead_for: 180 * 86_400, dead_max: 10_000, batches_for: 7 * 86_400)
            now = Time.now.to_f
            redis(safe: true) do |connection|
              connection.call("ZREMRANGEBYSCORE", "dead", "-inf", now - dead_for)
              connection.call("ZREMRANGEBYRANK", "dead", 0, -(dead_max + 1))
            end
            script(:prune, now - batches_for, safe: true)
            nil
          end

          private

          def promoted(set, payloads)
            payloads.map do |payload|
              item = readable(payload)
              [set, payload, @dialect.outgoing(Store::Rewrite.queued(payload)), item["queue"] || "default"]
            end
          end

          def move(how, rows) = rows.each_slice(SLICE).sum { |slice| script(:move, how, *slice.flatten) }

          def bring_back(token, field, payload)
            queue = Taken.read(field).last
            rewritten, crashes = Store::Rewrite.crashed(payload)
            dead = crashes >= Store::CRASHES
            return if move(dead ? "dead" : "front", [["raffia:claims:#{token}", field, @dialect.outgoing(rewritten), queue]]).zero?

            Recovered.new(readable(payload)["jid"], queue, crashes, dead)
          end

          def readable(payload)
            Payload.load(payload)
          rescue BadPayload
            {}
          end
        end
      end
    end
  end
end
