# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Keys of unique jobs, and the jobs that own them.
        #
        # @api private
        class Uniqueness
          Lock = Data.define(:job, :ends_at)

          def initialize
            @keys = {}
          end

          # @return [Job, nil] the job that keeps others with this key out
          def owner(key, now)
            owned = @keys[key] or return
            return owned.job unless owned.ends_at && owned.ends_at <= now

            @keys.delete(key)
            nil
          end

          def take(job, now)
            return unless (unique = job.unique)

            @keys[unique["key"]] = Lock.new(job, unique["for"] && now + unique["for"])
          end

          # The job begins to run.
          def started(job) = (free(job) if job.unique && job.unique["until"] == "start")

          # The job has ended. A key that is unique for a time stays taken until then.
          def ended(job) = (free(job) if job.unique && job.unique["until"] != "window")

          def free(job)
            key = job.unique["key"]
            @keys.delete(key) if @keys[key]&.job.equal?(job)
          end

          def prune(now) = @keys.delete_if { |_, key| key.ends_at && key.ends_at <= now }
        end
      end
    end
  end
end
