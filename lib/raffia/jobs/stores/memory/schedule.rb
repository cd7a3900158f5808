# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Schedule < Store::Schedule
          needs :lock, :jobs

          def promote(limit = 1000, rates: true)
            time = now
            limit.times do
              job = @jobs[:scheduled].shift(time) || @jobs[:retry].shift(time) || break
              job.payload = Store::Rewrite.queued(job.payload)
              @jobs.put(job, :queue)
            end
            @jobs.unblock_rated(time) if rates
            @lock.broadcast
            @jobs.next_due(rates: rates)&.then { |at| (at - time).clamp(0..) }
          end

          def now = ::Time.now.to_f
        end
      end
    end
  end
end
