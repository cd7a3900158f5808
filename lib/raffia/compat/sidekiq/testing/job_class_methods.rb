# frozen_string_literal: true

require_relative "queues"

module Sidekiq
  class EmptyQueueError < RuntimeError
  end

  module Testing
    # Methods of job classes for tests.
    module JobClassMethods
      def queue = get_sidekiq_options["queue"].to_s

      # Live list of the payloads of waiting jobs; "at" is set for later ones.
      def jobs = Queues.jobs_by_class[name]

      def clear = Queues.delete_if { |item| item["class"] == name }

      # Runs the jobs, including those that they enqueue, and returns their number. Raises the error
      # of a job that fails, which is removed.
      def drain
        done = 0
        while (item = MODE.fake_store.take(name))
          process_job(item)
          done += 1
        end
        done
      end

      # Runs the next job. Raises EmptyQueueError when there is none.
      def perform_one
        item = MODE.fake_store.take(name) or raise EmptyQueueError, "no job of #{self} waits"
        process_job(item)
      end

      # Runs a job of this class, within the middleware of {Testing.server_middleware}.
      def process_job(item)
        job = new
        job.jid = item["jid"]
        MODE.chain.invoke(job, item, item["queue"]) do
          execute_job(job, item["args"])
        end
      end

      def execute_job(job, args) = job.perform(*args)
    end

    # Methods for the jobs of all classes: `Sidekiq::Job.jobs`.
    module AllJobs
      def jobs = Queues.jobs_by_class.values.flatten(1)

      # Returns the number of jobs.
      def drain_all
        done = 0
        while (name = Queues.jobs_by_class.keys.find { |one| Queues.jobs_by_class[one].any? })
          while (item = MODE.fake_store.take(name))
            MODE.process(item)
            done += 1
          end
        end
        done
      end

      def clear_all = Queues.clear_all
    end
  end
end
