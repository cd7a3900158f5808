# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        class Claims < Store::Claims
          # End of the answer of a script that met only jobs over their limit or rate, and how often
          # it is called again.
          REFUSED = 0
          ROUNDS = 20

          needs :redis

          def initialize(...)
            super
            @lock = Monitor.new
            @name = 0
            @unanswered = []
          end

          def claim(lease, queues, limit, suspects: false, ahead: false)
            return [] if limit < 1

            lost = recover_unanswered(lease)
            return lost unless lost.empty?

            arguments = [limit, suspects ? 1 : 0, ahead ? 1 : 0, *queues]
            ROUNDS.times do
              name = next_name
              found = ask(lease, name, arguments)
              more = found.pop if found.last == REFUSED
              claims = claims_of(lease, name, found)
              return claims unless more
            end
            []
          end

          def suspects?(queues) = @redis.script(:suspects, *queues, safe: true) == 1

          private

          # Only the answer may be lost. The jobs would stay claimed for as long as this process
          # lives.
          def ask(lease, name, arguments)
            found = @redis.script(:claim, lease.token, name, *arguments)
          ensure
            @unanswered.push([lease.token, name]) unless found
          end

          def claims_of(lease, name, found)
            found.each_with_object([]) do |(queue, lengths, bytes, expired, delays), claims|
              count_expired(queue, expired) if expired.positive?
              group = ClaimGroup.new(lease, name, queue).claims(claims.size, lengths, bytes)
              delays&.each_slice(2) { |index, seconds| group[index].delay = Float(seconds) }
              claims.concat(group)
            end
          end

          # The time of the claim in microseconds, which tells a job's start, or a higher number.
          def next_name
            time = ::Process.clock_gettime(::Process::CLOCK_REALTIME, :microsecond)
            @lock.synchronize { @name = [time, @name + 1].max }.to_s
          end

          # Claims whose answer was lost.
          def recover_unanswered(lease)
            return [] if @unanswered.empty?

            token, name = @unanswered.first
            return @unanswered.shift && [] unless token == lease.token

            found = @redis.call("HGETALL", "raffia:claims:#{token}")
            @unanswered.shift
            found.filter_map do |field, payload|
              next unless field.start_with?("#{name}.")

              _, number, queue = ClaimGroup.parse(field)
              ClaimGroup::Claim.new(ClaimGroup.new(lease, name, queue), number, payload)
            end
          end
        end
      end
    end
  end
end
