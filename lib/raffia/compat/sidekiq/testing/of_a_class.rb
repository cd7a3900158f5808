# frozen_string_literal: true

require_relative "../../../jobs/testing"

module Sidekiq
  module Testing
    # What tests ask of a job class.
    module OfAClass
      # @return [String] its queue
      def queue = get_sidekiq_options["queue"].to_s

      # @return [Array<Hash>] the payloads of its jobs that wait; "at" is when, if that is later
      def jobs = drain_of_class.jobs

      # Forgets them.
      # @return [void]
      def clear = drain_of_class.clear

      # Does them all, and those that come meanwhile. One that raises is gone, and what it raised comes out here.
      # @return [Integer] how many
      def drain = drain_of_class.call

      # Does the next one.
      # @return [true]
      # @raise [EmptyQueueError] when there is none
      def perform_one
        drain_of_class.one or raise EmptyQueueError, "no job of #{self} waits"
      end

      # Does a job of this class, with its middleware.
      # @param item [Hash] the payload
      # @return [Object] what the outermost middleware returns
      def process_job(item)
        Raffia::Jobs::Perform.call(Sidekiq.load_json(Sidekiq.dump_json(item)), Raffia::Jobs::Setup.current.worker_middleware)
      end

      # @return [Object] what `perform` returns
      def execute_job(job, args) = job.perform(*args)

      private

      def drain_of_class = Raffia::Jobs::Testing::Drain.new(Testing.kept, name)
    end

    # What tests ask of all job classes: `Sidekiq::Job.jobs`.
    module OfAll
      # @return [Array<Hash>] payloads
      def jobs = everything.jobs

      # @return [Integer] how many were done
      def drain_all = everything.call

      # @return [void]
      def clear_all = Queues.clear_all

      private

      def everything = Raffia::Jobs::Testing::Drain.new(Testing.kept)
    end
  end
end
