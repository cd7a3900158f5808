# frozen_string_literal: true

require_relative "taken"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Jobs are taken, and ended.
        module Claims
          # @see Store#claim
          def claim(lease, queues, limit, suspects: false)
            return [] if limit < 1

            lost = recall(lease)
            return lost unless lost.empty?

            name = next_name
            begin
              found = script(:claim, lease.token, name, limit, suspects ? 1 : 0, *queues)
            ensure
              # Redis may have done it, and only the answer is missing. Then they would stay claimed
              # for as long as we live, and nobody would do them.
              @unheard.push([lease.token, name]) unless found
            end
            claims_of(lease, name, found)
          end

          # @see Store#suspects?
          def suspects?(queues) = script(:suspects, *queues, safe: true) == 1

          # @see Store#ack
          def ack(claims)
            return [] if claims.empty?

            taken = claims.group_by(&:taken)
            if taken.size == 1 || taken.keys.map(&:lease).uniq.size == 1
              return finish("ack", claims, taken)
            end

            claims.group_by(&:lease).flat_map { |_, some| ack(some) }
          end

          # @see Store#retry
          def retry(claim, payload, at)
            finish("retry", [claim], payload: @dialect.outgoing(payload), at: at).first
          end

          # @see Store#bury
          def bury(claim, payload)
            finish("bury", [claim], payload: @dialect.outgoing(payload), at: Time.now.to_f).first
          end

          # @see Store#discard
          def discard(claim) = finish("discard", [claim]).first

          # @see Store#release
          def release(claims)
            # The one that goes back last is in front.
            claims.group_by { |claim| claim.lease.token }
              .sum { |_, some| finish("release", some.reverse).count(true) }
          end

          private

          # @param claims [Array<Taken::Claim>] of one lease
          # @param taken [Hash{Taken => Array<Taken::Claim>}] the same
          def finish(how, claims, taken = claims.group_by(&:taken), payload: "", at: "")
            order = []
            groups = taken.flat_map do |one, some|
              ours = some.select(&:extras)
              plain = ours.empty? ? some : some - ours
              order.push(plain, ours)
              [one.name, one.queue, plain.map(&:ref).pack(Taken::NUMBERS),
                ours.map(&:ref).pack(Taken::NUMBERS)]
            end
            answer = script(:finish, claims[0].lease.token, how, payload, at, *groups)
            return Array.new(claims.size, true) if answer == 1

            mine = {}.compare_by_identity
            order.flatten.zip(answer) { |claim, yes| mine[claim] = yes == 1 }
            claims.map { |claim| mine[claim] }
          end

          def claims_of(lease, name, found)
            found.each_with_object([]) do |(queue, lengths, bytes), claims|
              claims.concat(Taken.new(lease, name, queue).claims(claims.size, lengths, bytes))
            end
          end

          # When it was, in microseconds, so that it can be seen since when a job runs; and higher
          # than all before.
          def next_name
            @naming.synchronize {
              @name = [::Process.clock_gettime(::Process::CLOCK_REALTIME, :microsecond),
                @name + 1].max
            }.to_s
          end

          # @return [Array<Claim>] what a call has taken whose answer was lost
          def recall(lease)
            return [] if @unheard.empty?

            token, name = @unheard.first
            return @unheard.shift && [] unless token == lease.token

            found = redis(safe: true) do |connection|
              connection.call("HGETALL", "raffia:claims:#{token}")
            end
            @unheard.shift
            found.filter_map do |field, payload|
              _, number, queue = Taken.read(field)
              if field.start_with?("#{name}.")
                Taken::Claim.new(Taken.new(lease, name, queue), number, payload)
              end
            end
          end
        end
      end
    end
  end
end
