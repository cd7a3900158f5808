# frozen_string_literal: true

require_relative "queues"

module Sidekiq
  module Testing
    # What tests ask of a job class.
    module JobClassMethods
      # @return [String] its queue
      def queue = get_sidekiq_options["queue"].to_s

      # @return [Array<Hash>] the payloads of its jobs that wait; "at" is when, if that is later. It
      #   changes as they come and go
      def jobs = Queues.jobs_by_class[name]

      # Forgets them.
      # @return [void]
      def clear = Queues.delete_if { |item| item["class"] == name }

      # Does them all, and those that come meanwhile. One that raises is gone, and what it raised
      # comes out here.
      # @return [Integer] how many
      def drain
        done = 0
        while (item = Testing.kept.take(name))
          process_job(item)
          done += 1
        end
        done
      end

      # Does the next one.
      # @return [Object] as {process_job}
      # @raise [EmptyQueueError] when there is none
      def perform_one
        item = Testing.kept.take(name) or raise EmptyQueueError, "no job of #{self} waits"
        process_job(item)
      end

      # Does a job of this class, with the middleware of {Testing.server_middleware}.
      # @param item [Hash] the payload
      # @return [Object] what the outermost middleware returns
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

    # What tests ask of all job classes: `Sidekiq::Job.jobs`.
    module AllJobs
      # @return [Array<Hash>] payloads
      def jobs = Queues.jobs_by_class.values.flatten(1)

      # @return [Integer] how many were done
      def drain_all
        done = 0
        while (name = Queues.jobs_by_class.keys.find { |one| Queues.jobs_by_class[one].any? })
          while (item = Testing.kept.take(name))
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
