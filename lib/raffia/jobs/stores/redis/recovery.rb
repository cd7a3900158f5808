# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        class Recovery < Store::Recovery
          needs :redis, :format

          def recover
            recovered = []
            until (lost = @redis.script(:expired, safe: true)).empty?
              lost.each do |token, *claims|
                recovered.concat(recover_jobs(token, claims.each_slice(2), nil))
              end
            end
            recovered.reverse
          end

          def report_death(lease, begun)
            claims = @redis.script(:report_death, lease.token, lease.identity,
              Leases.milliseconds(lease.ttl), safe: true)
            recovered = recover_jobs(lease.token, claims.each_slice(2), begun).reverse
            @redis.call("ZREM", "raffia:expiry", lease.token)
            recovered
          end

          private

          # The one that goes back last is in front. Returns the last one first.
          def recover_jobs(token, claims, begun)
            claims = claims.sort_by { |field, _| ClaimGroup.parse(field) }.reverse
            payloads = claims.to_h { |field, payload| [ClaimGroup.parse(field).first(2), payload] }
            verdicts = Store::CrashVerdict.of_claims(payloads, begun)
            claims.filter_map do |field, payload|
              verdict = verdicts[ClaimGroup.parse(field).first(2)]
              recover_job(token, field, payload, verdict)
            end
          end

          def recover_job(token, field, payload, verdict)
            queue = ClaimGroup.parse(field).last
            after = verdict.crashes.zero? ? payload : @format.outgoing(verdict.payload)
            row = ["raffia:claims:#{token}", field, after, queue]
            return if @redis.move(verdict.dead? ? "dead" : "front", [row]).zero?

            verdict.recovered(Payload.fields(payload)["jid"], queue)
          end
        end
      end
    end
  end
end
