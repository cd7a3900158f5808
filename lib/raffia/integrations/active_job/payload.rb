# frozen_string_literal: true

require_relative "../../jobs"

module Raffia
  module Integrations
    module ActiveJob
      # Converts Active Jobs to items of {Jobs.enqueue}.
      # @api private
      module Payload
        # Options that a block may compute.
        BY_ARGUMENTS = %i[limit_key rate_key rate_cost fair_by fair_weight].freeze

        module_function

        def of(job)
          data = job.serialize
          options = job.class.raffia_options
            .merge({queue: job.queue_name, priority: priority(job)}.compact)
          {
            "class" => Wrapper::NAMES.first, "wrapped" => job.class.name, "args" => [data],
            "at" => job.scheduled_at&.to_f,
            **Job::PayloadFields.plain(options),
            Jobs::Payload::OWN => own(job, options, data["arguments"])
          }.compact
        end

        # Lower numbers are more urgent in Active Job, higher ones in Raffia.
        def priority(job) = job.priority && -job.priority

        # Keys come from the job's arguments, because each serialized job is unique; a block gets
        # them deserialized. A job that its own run enqueues, to retry or continue, must not be
        # rejected because of that run.
        def own(job, options, arguments)
          options = options.except(:unique) if options[:unique] && Wrapper.runs?(job.job_id)
          arguments = job.arguments if BY_ARGUMENTS.any? { |name| options[name].respond_to?(:call) }
          Job::PayloadFields.own(options, job.class.name, arguments,
            (job.scheduled_at || Time.now).to_f)
        end
      end
    end
  end
end
