# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # (see Store::Completion)
        class Completion < Store::Completion
          needs :lock, :jobs

          def ack(claims)
            @lock.synchronize do
              claims.map { |claim| complete(claim) { |job| @jobs.finish(job, :done) } }
            end
          end

          def retry(claim, payload, at)
            complete(claim) do |job|
              job.payload = payload
              @jobs.put(job, :retry, at: at.to_f)
            end
          end

          def bury(claim, payload)
            complete(claim) do |job|
              job.payload = payload
              @jobs.bury(job)
            end
          end

          def discard(claim) = complete(claim) { |job| @jobs.finish(job, :dead) }

          # From the last to the first, so that they stand in the queue as they stood.
          def release(claims)
            @lock.synchronize do
              jobs = claims.reverse.filter_map do |claim|
                @jobs.drop(claim)&.tap { |job| @jobs.put_back(job) }
              end
              @lock.broadcast
              jobs.size
            end
          end

          private

          # @return [Boolean] whether the claim was still valid
          def complete(claim)
            @lock.synchronize do
              job = @jobs.drop(claim) or next false
              yield job
              @lock.broadcast
              true
            end
          end
        end
      end
    end
  end
end
