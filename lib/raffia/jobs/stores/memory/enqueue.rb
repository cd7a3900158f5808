# frozen_string_literal: true

require_relative "job"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Enqueue < Store::Enqueue
          REPLACEABLE = %i[queue scheduled retry blocked].freeze

          needs :lock, :jobs, :key_values, :batches

          def enqueue(drafts, precondition: nil)
            unless precondition.nil? || @key_values.read(precondition.key) == precondition.expect
              return
            end

            now = Time.now.to_f
            check(drafts, now)
            @key_values.write(precondition.key, precondition.value) if precondition
            ids = drafts.map { |draft| admit(draft, now) }
            @lock.broadcast
            ids
          end

          # Adds one job. Returns the id, nil when a unique job keeps it out.
          def admit(draft, now = Time.now.to_f)
            job = Job.new(draft)
            return if job.unique && !unique?(job, now)

            @batches.add(job.batch)
            later = draft.at && draft.at > now
            later ? @jobs.put(job, :scheduled, at: draft.at) : @jobs.put(job, :queue)
            @jobs.uniqueness.take(job, now)
            @jobs.flows.add(job)
            job.jid
          end

          private

          # Raises {NotUnique} or {Error} before any job is added.
          def check(drafts, now)
            seen = nil
            drafts.each do |draft|
              extras = draft.extras or next
              @batches.fetch(extras["batch"]) if extras["batch"]
              next unless (unique = extras["unique"])

              key = unique["key"]
              taken = seen&.include?(key) || @jobs.uniqueness.owner(key, now)
              raise NotUnique.new(key: key) if taken && unique["conflict"] == "raise"
              (seen ||= Set[]) << key
            end
          end

          def unique?(job, now)
            other = @jobs.uniqueness.owner(job.unique["key"], now) or return true
            replaces = job.unique["conflict"] == "replace" && REPLACEABLE.include?(other.set) &&
              other.workflow.nil?
            return false unless replaces

            @jobs.take(other)
            @jobs.uniqueness.free(other)
            @jobs.finish(other, :done)
            true
          end
        end
      end
    end
  end
end
