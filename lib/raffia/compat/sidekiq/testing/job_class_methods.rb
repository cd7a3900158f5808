# frozen_string_literal: true

require_relative "queues"

module Sidekiq
  module Testing
    # Methods of job classes for tests.
    module JobClassMethods
      # @return [String] its queue
      def queue = get_sidekiq_options["queue"].to_s

      # @return [Array<Hash>] payloads of its waiting jobs, a live list; "at" is set for later ones
      def jobs = Queues.jobs_by_class[name]

      # Deletes its jobs.
      # @return [void]
      def clear = Queues.delete_if { |item| item["class"] == name }

      # Runs its jobs, including those that they enqueue. A job that raises is gone, and its error
      # is raised here.
      # @return [Integer] how many
      def drain
        done = 0
        while (item = Testing.fake_store.take(name))
          process_job(item)
          done += 1
        end
        done
      end

      # Runs the next one.
      # @return [Object] see {process_job}
      # @raise [EmptyQueueError] when there is none
      def perform_one
        item = Testing.fake_store.take(name) or raise EmptyQueueError, "no job of #{self} waits"
        process_job(item)
      end

      # Runs a job of this class, within the middleware of {Testing.server_middleware}.
      # @param item [Hash] the payload
      # @return [Object] what the outermost link returns
      def process_job(item)
        job = new
        job.jid = item["jid"]
        Testing.server_middleware.invoke(job, item, item["queue"]) do
          execute_job(job, item["args"])
        end
      end

      # @return [Object] what `perform` returns
      def execute_job(job, args) = job.perform(*args)
    end

    # Methods for the jobs of all classes: `Sidekiq::Job.jobs`.
    module AllJobs
      # @return [Array<Hash>] payloads
      def jobs = Queues.jobs_by_class.values.flatten(1)

      # @return [Integer] how many
      def drain_all
        done = 0
        while (name = Queues.jobs_by_class.keys.find { |one| Queues.jobs_by_class[one].any? })
          while (item = Testing.fake_store.take(name))
            Testing.process(item)
            done += 1
          end
        end
        done
      end

      # @return [void]
      def clear_all = Queues.clear_all
    end
  end
end
