# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        class Completion < Store::Completion
          # Fields under "raffia" that mean nothing for a job that is done.
          BEFORE_END = %w[fair rate priority expires_at timeout on].freeze

          needs :redis, :format

          def ack(claims)
            return [] if claims.empty?

            groups = claims.group_by(&:group)
            one_lease = groups.size == 1 || groups.keys.map(&:lease).uniq.size == 1
            return finish("ack", claims, groups) if one_lease

            valid = {}.compare_by_identity
            claims.group_by(&:lease).each_value do |some|
              some.zip(ack(some)) { |claim, yes| valid[claim] = yes }
            end
            valid.values_at(*claims)
          end

          def retry(claim, payload, at)
            finish("retry", [claim], payload: @format.outgoing(payload), at: at).first
          end

          def bury(claim, payload)
            finish("bury", [claim], payload: @format.outgoing(payload), at: Time.now.to_f).first
          end

          def discard(claim) = finish("discard", [claim]).first

          # The one that goes back last is in front.
          def release(claims, begun: true)
            how = begun ? "release" : "unbegun"
            claims.group_by { |claim| claim.lease.token }
              .sum { |_, some| finish(how, some.reverse).count(true) }
          end

          private

          def finish(how, claims, groups = claims.group_by(&:group), payload: "", at: "")
            order = []
            arguments = groups.flat_map do |group, some|
              special = some.select { |claim| special?(how, claim.extras) }
              plain = special.empty? ? some : some - special
              order.push(plain, special)
              [group.name, group.queue, numbers(plain), numbers(special)]
            end
            token = claims[0].lease.token
            answer = if how == "ack" && order.each_slice(2).all? { |_, special| special.empty? }
              @redis.script(:ack, token, *without_special(arguments))
            else
              @redis.script(:complete, token, how, payload, at,
                *(results(claims) if how == "ack"), *arguments)
            end
            return Array.new(claims.size, true) if answer == 1

            valid = {}.compare_by_identity
            order.flatten.zip(answer) { |claim, yes| valid[claim] = yes == 1 }
            valid.values_at(*claims)
          end

          def special?(how, extras)
            extras && !(how == "ack" && extras.each_key.all? { |name| BEFORE_END.include?(name) })
          end

          # The numbers of special claims are the last of four arguments.
          def without_special(arguments) = arguments.each_slice(4).flat_map { |some| some.take(3) }

          # Results of steps, as four arguments each.
          def results(claims)
            claims.select(&:result).flat_map do |claim|
              ["", claim.field, claim.result, ""]
            end
          end

          def numbers(claims) = claims.map(&:ref).pack(ClaimGroup::NUMBERS)
        end
      end
    end
  end
end
