# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Completion < Store::Completion
          needs :lock, :jobs

          def ack(claims)
            claims.map do |claim|
              complete(claim) { |job| @jobs.finish(job, :done, claim.result) }
            end
          end

          def retry(claim, payload, at)
            complete(claim) do |job|
              job.payload = payload
              @jobs.put(job, :retry, at: at.to_f)
              @jobs.drop_cancelled(job)
            end
          end

          def bury(claim, payload)
            complete(claim) do |job|
              job.payload = payload
              @jobs.bury(job)
            end
          end

          def discard(claim) = complete(claim) { |job| @jobs.finish(job, :dead) }

          # From the last to the first, which keeps their order in the queue.
          def release(claims, begun: true)
            jobs = claims.reverse.filter_map do |claim|
              @jobs.drop(claim)&.tap { |job| @jobs.put_back(job) }
            end
            jobs.each { |job| @jobs.rates.refund(job, Time.now.to_f) } unless begun
            jobs.each { |job| @jobs.drop_cancelled(job) }
            @lock.broadcast
            jobs.size
          end

          private

          # False when the claim is not valid any more.
          def complete(claim)
            job = @jobs.drop(claim) or return false
            yield job
            @lock.broadcast
            true
          end
        end
      end
    end
  end
end
