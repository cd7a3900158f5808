# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # What any worker does now and then. Payloads change here, and the script that moves them
        # looks whether they are still what was changed.
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
                recovered.concat(bring_back(token, claims.each_slice(2), nil))
              end
            end
            recovered.reverse
          end

          # @see Store#report_death
          def report_death(lease, begun)
            claims = script(:death, lease.token, lease.identity, milliseconds(lease.ttl),
              safe: true)
            recovered = bring_back(lease.token, claims.each_slice(2), begun).reverse
            redis(safe: true) { |connection| connection.call("ZREM", "raffia:expiry", lease.token) }
            recovered
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
              [set, payload, @dialect.outgoing(Store::Rewrite.queued(payload)), queue_of(item)]
            end
          end

          # @return [String] somebody else may have written anything there
          def queue_of(item)
            item["queue"].then { |name| (name.is_a?(String) && !name.empty?) ? name : "default" }
          end

          def move(how, rows)
            rows.each_slice(SLICE).sum { |slice| script(:move, how, *slice.flatten) }
          end

          # The one that goes back last is in front.
          # @param claims [Enumerable<Array(String, String)>] fields and payloads
          # @return [Array<Recovered>] the last one first
          def bring_back(token, claims, begun)
            claims = claims.sort_by { |field, _| Taken.read(field) }.reverse
            verdicts =
              Store::CrashVerdict.of_claims(claims.to_h { |field, payload|
                [Taken.read(field).first(2),
                  payload]
              }, begun)
            claims.filter_map do |field, payload|
              bring_one_back(token, field, payload, verdicts[Taken.read(field).first(2)])
            end
          end

          def bring_one_back(token, field, payload, verdict)
            queue = Taken.read(field).last
            payload_now = verdict.crashes.zero? ? payload : @dialect.outgoing(verdict.payload)
            if move(verdict.dead? ? "dead" : "front",
              [["raffia:claims:#{token}", field, payload_now, queue]]).zero?
              return
            end

            Recovered.new(readable(payload)["jid"], queue, verdict.crashes, verdict.dead?)
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
