# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Inspection < Store::Inspection
          needs :jobs, :statistics

          def queues(most: nil) # rubocop:disable Lint/UnusedMethodArgument
            queues = @jobs.queues
            queues.names.map do |name|
              {"name" => name, "size" => queues[name]&.size.to_i, "paused" => queues.paused?(name),
               "latency" => latency(queues[name])}
            end
          end

          def counts(most: nil) # rubocop:disable Lint/UnusedMethodArgument
            sizes = Store::SETS.to_h { |set| [set, @jobs[set].size] }
            sizes.merge(processed: @statistics.processed, failed: @statistics.failed)
          end

          def entries(set, queue: nil, offset: 0, limit: 50, match: nil)
            jobs = @jobs.list(set, queue)
            jobs.reverse! if set == :dead
            jobs.select! { |job| job.payload.include?(match) } if match
            (jobs[offset, limit || jobs.size] || []).map(&:entry)
          end

          def find(jid, most: nil)
            Store::SETS.each do |set|
              jobs = @jobs[set].to_a
              job = (most ? jobs.last(most) : jobs).find { |one| one.jid == jid }
              return job.entry if job
            end
            nil
          end

          def tenants(queue, limit: 20, most: 10_000)
            jobs = @jobs.list(:queue, queue).first(most)
            count_tenants(jobs.map { |job| job.fair&.fetch("key") }, limit,
              @jobs.pauses.names(queue))
          end

          private

          def latency(queue)
            seconds_since(queue&.oldest.to_a.map { |job| job.entry.item["enqueued_at"] })
          end
        end
      end
    end
  end
end
