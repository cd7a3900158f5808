# frozen_string_literal: true

require_relative "../../payload"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # (see Store::Inspection)
        class Inspection < Store::Inspection
          needs :lock, :jobs, :statistics

          def queues(most: nil) # rubocop:disable Lint/UnusedMethodArgument
            @lock.synchronize do
              queues = @jobs.queues
              queues.names.map do |name|
                {"name" => name, "size" => queues[name]&.size.to_i,
                 "latency" => latency(queues[name]),
                 "paused" => queues.paused?(name)}
              end
            end
          end

          def counts(most: nil) # rubocop:disable Lint/UnusedMethodArgument
            @lock.synchronize do
              {**Store::SETS.to_h { |set| [set, @jobs[set].size] },
                processed: @statistics.processed,
                failed: @statistics.failed}
            end
          end

          def entries(set, queue: nil, offset: 0, limit: 50, match: nil)
            @lock.synchronize do
              jobs = (set == :queue) ? @jobs.queues.to_a(queue) : @jobs[set].to_a
              jobs.reverse! if set == :dead
              jobs.select! { |job| job.payload.include?(match) } if match
              (jobs[offset, limit || jobs.size] || []).map(&:entry)
            end
          end

          def find(jid, most: nil)
            @lock.synchronize do
              Store::SETS.each do |set|
                jobs = @jobs[set].to_a
                job = (most ? jobs.last(most) : jobs).find { |one| one.jid == jid }
                return job.entry if job
              end
              nil
            end
          end

          private

          def latency(queue)
            times = queue&.oldest.to_a.filter_map do |job|
              Payload.time(job.entry.item["enqueued_at"])
            end
            times.any? ? (Time.now.to_f - times.min).clamp(0..) : 0
          end
        end
      end
    end
  end
end
