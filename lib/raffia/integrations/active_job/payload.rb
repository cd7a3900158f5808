# frozen_string_literal: true

require_relative "../../jobs"

module Raffia
  module Integrations
    module ActiveJob
      # @api private
      module Payload
        module_function

        # @param job [ActiveJob::Base]
        # @return [Hash] what {Jobs.enqueue} takes
        def of(job)
          data = job.serialize
          options = job.class.raffia_options
            .merge({queue: job.queue_name, priority: priority(job)}.compact)
          {
            "class" => NAMES.first, "wrapped" => job.class.name, "args" => [data],
            "at" => job.scheduled_at&.to_f,
            **Job::PayloadFields.plain(options),
            Jobs::Payload::OWN => own(job, options, data["arguments"])
          }.compact
        end

        # To Active Job's users lower numbers are more urgent, as in Solid Queue, GoodJob and
        # delayed_job; to Raffia higher ones.
        def priority(job) = job.priority && -job.priority

        # By the arguments of the job, not by its whole serialisation, in which every job is unique.
        # A block of the user's gets them as they were given. A job that is enqueued by its own run,
        # to be retried or to go on later, must not be kept out by that run.
        def own(job, options, arguments)
          options = options.except(:unique) if options[:unique] && Wrapper.runs?(job.job_id)
          arguments = job.arguments if options[:limit_key].respond_to?(:call)
          Job::PayloadFields.own(options, job.class.name, arguments, job.scheduled_at&.to_f ||
            Time.now.to_f)
        end
      end
    end
  end
end
