# frozen_string_literal: true

module Raffia
  module Jobs
    module Workflow
      # Builds the payloads of steps, and rejects what cannot be one.
      # @api private
      class StepBuilder
        def initialize(workflow_id, limit)
          @id = workflow_id
          @limit = limit
        end

        # `dynamic`: further arguments come later. Raises {ConfigError} and {BadArguments}.
        def job(job, args, options, undo, dynamic: false)
          dynamic ||= references(args).any?
          node = {"item" => item(job, args, options, dynamic), "refers" => references(args)}
          node["undo"] = undo_item(undo, args, dynamic) if undo
          seconds = job.options.merge(options)[:expires_in]
          node["expires_in"] = seconds if seconds
          node
        end

        def flow(workflow, args)
          unless workflow.is_a?(Class) && workflow.include?(Workflow) && workflow.name
            raise ConfigError, "#{workflow.inspect} is no workflow: it needs a name and `include " \
              "Raffia::Workflow`"
          end

          {"item" => item(OpenJob, [workflow.name, args], {}, false), "flow" => workflow.name,
           "undo" => item(UndoJob, [], {}, false), "refers" => references(args)}
        end

        private

        def undo_item(undo, args, dynamic)
          return item(undo, args, {}, dynamic) unless job_options(undo, {})[:unique]

          raise ConfigError, "#{undo.name} is unique, and cannot be an undo: when another job " \
            "keeps it out, nothing would be undone"
        end

        def item(job, args, options, dynamic)
          check(job, job_options(job, options), dynamic)
          Client::PayloadBuilder.check_arguments(job.name, args)
          draft = Client.with_batch(nil) do
            Setup.current.client.draft(ConfiguredJob.new(job, options).item(args))
          end
          return limited(plain(job, Payload.load(draft.payload))) if draft

          raise ConfigError, "a middleware rejects #{job.name} as a step of workflow #{@id}"
        end

        def job_options(job, options)
          return job.options.merge(options) if job.is_a?(Class) && job.respond_to?(:job_options)

          raise ConfigError, "#{job.inspect} is no job: it needs `include Raffia::Job`"
        end

        def check(job, options, dynamic)
          return unless dynamic

          option, = options.find { |name, value| value && (name == :unique || callable?(value)) }
          return unless option

          raise ConfigError, "#{option} of #{job.name} needs its arguments, which are not known " \
            "before the workflow runs: set it to a plain value, or nil, for this step"
        end

        def callable?(value) = value.respond_to?(:call)

        # Steps get their ids when they begin, and encrypted arguments belong to an id.
        def plain(job, item)
          own = item[Payload::OWN].to_h
          return item unless own.key?("flow") || own["encrypt"]

          raise ConfigError, "#{job.name} cannot be a step: it is a durable function, or has " \
            "encrypted arguments. Let a step start it"
        end

        # A limit of its own has precedence over that of the workflow.
        def limited(item)
          own = item[Payload::OWN].to_h.except("expires_at")
          own["limit"] ||= {"key" => "workflow:#{@id}", "max" => @limit} if @limit
          {**item.except("jid", "created_at", "enqueued_at"), Payload::OWN => own}
        end

        # Names of steps whose results are among these arguments.
        def references(value)
          case value
          when Array then value.flat_map { |one| references(one) }.uniq
          when Hash
            name = value[Store::Workflow::Start::REFERENCE]
            (name && value.size == 1) ? [name] : references(value.values)
          else []
          end
        end
      end
    end
  end
end
