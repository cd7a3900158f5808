# frozen_string_literal: true

require_relative "../../error"
require_relative "job"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # (see Store::Enqueue)
        class Enqueue < Store::Enqueue
          REPLACEABLE = %i[queue scheduled retry blocked].freeze
          private_constant :REPLACEABLE

          needs :lock, :jobs, :key_values, :batches

          def enqueue(drafts, precondition: nil)
            @lock.synchronize do
              unless precondition.nil? || @key_values.read(precondition.key) == precondition.expect
                next
              end

              check(drafts)
              @key_values.write(precondition.key, precondition.value) if precondition
              drafts.map { |draft| admit(draft) }.tap { @lock.broadcast }
            end
          end

          # Adds one job; the caller holds the lock.
          # @param draft [Draft]
          # @return [String, nil] its id; nil where a unique job keeps it out
          def admit(draft)
            now = Time.now.to_f
            job = Job.new(draft)
            return if job.unique && !unique?(job, now)

            @batches.add(job.batch)
            later = draft.at && draft.at > now
            later ? @jobs.put(job, :scheduled, at: draft.at) : @jobs.put(job, :queue)
            @jobs.uniqueness.take(job, now)
            job.jid
          end

          private

          # @raise [NotUnique, Error] before any job is added
          def check(drafts)
            now = Time.now.to_f
            seen = Set[]
            drafts.filter_map(&:extras).each do |extras|
              @batches.fetch(extras["batch"]) if extras["batch"]
              next unless (unique = extras["unique"])

              key = unique["key"]
              taken = seen.include?(key) || @jobs.uniqueness.owner(key, now)
              raise NotUnique.new(key: key) if taken && unique["conflict"] == "raise"
              seen << key
            end
          end

          def unique?(job, now)
            other = @jobs.uniqueness.owner(job.unique["key"], now) or return true
            unless job.unique["conflict"] == "replace" && REPLACEABLE.include?(other.set)
              return false
            end

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
