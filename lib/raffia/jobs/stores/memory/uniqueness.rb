# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Keys of unique jobs, and the jobs that own them.
        # @api private
        class Uniqueness
          Lock = Data.define(:job, :ends_at) do
            def over?(now) = !ends_at.nil? && ends_at <= now
          end

          def initialize
            @locks = {}
          end

          # The job that keeps others with this key out.
          def owner(key, now)
            lock = @locks[key] or return
            return lock.job unless lock.over?(now)

            @locks.delete(key)
            nil
          end

          def take(job, now)
            return unless (unique = job.unique)

            @locks[unique["key"]] = Lock.new(job, unique["for"] && now + unique["for"])
          end

          # The job begins to run.
          def started(job) = (free(job) if job.unique && job.unique["until"] == "start")

          # The job has ended. A key that is unique for a time stays taken until then.
          def ended(job) = (free(job) if job.unique && job.unique["until"] != "window")

          def free(job)
            key = job.unique["key"]
            @locks.delete(key) if @locks[key]&.job.equal?(job)
          end

          def prune(now) = @locks.delete_if { |_, lock| lock.over?(now) }
        end
      end
    end
  end
end
