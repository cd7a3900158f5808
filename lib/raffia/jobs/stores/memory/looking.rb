# frozen_string_literal: true

require_relative "../../payload"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # What people see.
        module Looking
          # (see Store#queues)
          def queues(most: nil) # rubocop:disable Lint/UnusedMethodArgument
            sync do |all|
              all.queues.names.map do |name|
                line = all.queues[name]
                {"name" => name, "size" => line&.size.to_i, "latency" => latency(line),
                 "paused" => all.queues.paused?(name)}
              end
            end
          end

          # (see Store#counts)
          def counts(most: nil) # rubocop:disable Lint/UnusedMethodArgument
            sync do |all|
              {**Store::SETS.to_h { |set| [set, all.place(set).size] },
                processed: all.totals.processed, failed: all.totals.failed}
            end
          end

          # (see Store#entries)
          def entries(set, queue: nil, offset: 0, limit: 50, match: nil)
            sync do |all|
              jobs = (set == :queue) ? all.queues.to_a(queue) : all.place(set).to_a
              jobs.reverse! if set == :dead
              jobs.select! { |job| job.payload.include?(match) } if match
              (jobs[offset, limit || jobs.size] || []).map(&:entry)
            end
          end

          # (see Store#find)
          def find(jid, most: nil) # rubocop:disable Lint/UnusedMethodArgument
            sync do |all|
              Store::SETS.each do |set|
                jobs = all.place(set).to_a
                job = (most ? jobs.last(most) : jobs).find { |one| one.jid == jid }
                return job.entry if job
              end
              nil
            end
          end

          # (see Store#processes)
          def processes = sync { |all| all.leases.living.map(&:to_h) }

          # (see Store#history)
          def history(days = 30) = sync { |all| all.totals.history(days) }

          # (see Store#metrics)
          def metrics(minutes = 60) = sync { |all| all.totals.metrics(minutes) }

          private

          def latency(line)
            since =
              line&.oldest.to_a.filter_map { |job| Payload.time(job.entry.item["enqueued_at"]) }.min
            since ? (Time.now.to_f - since).clamp(0..) : 0
          end
        end
      end
    end
  end
end
