# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Administration < Store::Administration
          needs :lock, :jobs, :batches, :workflows

          def delete(entries)
            take_each(entries, Store::SETS - %i[running]) { |job, from| remove(job, from) }
          end

          def requeue(entries)
            take_each(entries, %i[scheduled retry blocked dead]) do |job, from|
              (from == :dead) ? revive(job) : job.payload = Store::Rewrite.queued(job.payload)
              @jobs.put(job, :queue)
            end
          end

          def kill(entries)
            take_each(entries, %i[queue scheduled retry]) { |job, _| @jobs.bury(job) }
          end

          def move(entries, queue)
            take_each(entries, %i[queue scheduled retry dead]) do |job, from|
              job.queue = queue
              job.payload = Store::Rewrite.moved(job.payload, queue)
              @jobs.put(job, from, at: job.at)
            end
          end

          def replace(payloads)
            payloads.count do |entry, payload|
              next if entry.set == :running || entry.ref.entry != entry

              entry.ref.payload = payload
            end
          end

          def clear(set, queue: nil)
            return 0 if set == :running

            count = delete(@jobs.list(set, queue).map(&:entry))
            @jobs.queues.forget(queue) if set == :queue
            count
          end

          def pause(queue, tenant: nil)
            tenant ? @jobs.pauses.pause(queue, tenant) : @jobs.queues.pause(queue)
            nil
          end

          def resume(queue, tenant: nil)
            tenant ? resume_tenant(queue, tenant) : @jobs.queues.resume(queue)
            @lock.broadcast
            nil
          end

          # Removes the waiting jobs of a workflow, but for durable functions.
          def drop_workflow(id)
            delete(%i[queue scheduled retry blocked].flat_map { |set| @jobs.list(set) }
              .select { |job| job.workflow&.fetch("id") == id && !job.flow }.map(&:entry))
          end

          private

          def resume_tenant(queue, tenant)
            @jobs.pauses.resume(queue, tenant).each do |job|
              job.rated = nil
              @jobs.put(job, :queue)
            end
          end

          def take_each(entries, sets)
            present = entries.select do |entry|
              sets.include?(entry.set) && entry.ref.entry == entry
            end
            present.each do |entry|
              @jobs.take(entry.ref)
              yield entry.ref, entry.set
            end
            @lock.broadcast
            present.size
          end

          # The end of a dead job has been counted before.
          def remove(job, from) = (from == :dead) ? nil : @jobs.finish(job, :dead)

          def revive(job)
            @batches.revived(job.batch)
            @jobs.flows.revived(job)
            @workflows.revived(job) if job.workflow
            job.suspect = false
            job.payload = Store::Rewrite.anew(job.payload)
          end
        end
      end
    end
  end
end
