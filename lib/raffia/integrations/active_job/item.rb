# frozen_string_literal: true

require_relative "../../jobs"

module Raffia
  module Integrations
    module ActiveJob
      # @api private
      module Item
        module_function

        # @param job [ActiveJob::Base]
        # @return [Hash] what {Jobs.enqueue} takes
        def of(job)
          options = job.class.raffia_options.merge({queue: job.queue_name, priority: priority(job)}.compact)
          {
            "class" => NAMES.first, "wrapped" => job.class.name, "args" => [job.serialize], "at" => job.scheduled_at&.to_f,
            **Job::Fields.plain(options), Jobs::Payload::OWN => own(job, options)
          }.compact
        end

        # To Active Job's users lower numbers are more urgent, as in Solid Queue, GoodJob and delayed_job; to Raffia higher ones.
        def priority(job) = job.priority && -job.priority

        # By the arguments of the job, not by its whole serialisation, in which every job is unique.
        def own(job, options)
          Job::Fields.own(options, job.class.name, options[:limit_key].respond_to?(:call) ? job.arguments : job.serialize["arguments"],
            job.scheduled_at&.to_f || Time.now.to_f)
        end
      end
    end
  end
end
