# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Jobs are taken, and ended. A claim's ref is a field of the hash `raffia:claims:TOKEN`: "NAME.NUMBER QUEUE", where NAME is of the call that
        # took it and grows, and NUMBER is its place among those that it took.
        module Claims
          # @see Store#claim
          def claim(lease, queues, limit)
            return [] if limit < 1

            lost = recall(lease)
            return lost unless lost.empty?

            name = next_name
            begin
              found = script(:claim, lease.token, name, limit, *queues)
            ensure
              # Redis may have done it, and only the answer is missing. Then they would stay claimed for as long as we live, and nobody would do them.
              @unheard.push([lease.token, name]) unless found
            end
            claims_of(lease, name, found)
          end

          # @see Store#ack
          def ack(claims)
            return [] if claims.empty?
            return claims.group_by(&:lease).flat_map { |_, some| ack(some) } unless claims.all? { |claim| claim.lease.equal?(claims[0].lease) }

            finish("ack", claims)
          end

          # @see Store#retry
          def retry(claim, payload, at) = finish("retry", [claim], @dialect.outgoing(payload), at).first

          # @see Store#bury
          def bury(claim, payload) = finish("bury", [claim], @dialect.outgoing(payload), Time.now.to_f).first

          # @see Store#discard
          def discard(claim) = finish("discard", [claim]).first

          # @see Store#release
          def release(claims)
            # The one that goes back last is in front.
            claims.group_by { |claim| claim.lease.token }.sum { |_, some| finish("release", some.reverse).count(true) }
          end

          private

          def finish(how, claims, payload = "", at = "")
            plain, others = claims.partition { |claim| claim.extras.nil? }
            answer = script(:finish, claims[0].lease.token, how, payload, at, plain.size, *plain.map(&:ref), *others.map(&:ref))
            return Array.new(claims.size, true) if answer == 1
            return answer.map { |mine| mine == 1 } if others.empty? || plain.empty?

            mine = (plain + others).zip(answer).to_h { |claim, yes| [claim.ref, yes == 1] }
            claims.map { |claim| mine[claim.ref] }
          end

          def claims_of(lease, name, found)
            number = -1
            found.flat_map do |queue, *payloads|
              payloads.map { |payload| Claim.new(lease, "#{name}.#{number += 1} #{queue}", queue, payload) }
            end
          end

          # When it was, in microseconds, so that a claim's ref says since when it is; and higher than all before.
          def next_name
            @naming.synchronize { @name = [::Process.clock_gettime(::Process::CLOCK_REALTIME, :microsecond), @name + 1].max }
          end

          # @return [Array<Claim>] what a call has taken whose answer was lost
          def recall(lease)
            return [] if @unheard.empty?

            token, name = @unheard.first
            return @unheard.shift && [] unless token == lease.token

            found = redis(safe: true) { |connection| connection.call("HGETALL", "raffia:claims:#{token}") }
            @unheard.shift
            found.filter_map { |ref, payload| Claim.new(lease, ref, ref[/ (.*)/, 1], payload) if ref.start_with?("#{name}.") }
          end
        end
      end
    end
  end
end
