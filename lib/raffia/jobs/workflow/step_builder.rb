# frozen_string_literal: true

require_relative "step_encryption"

module Raffia
  module Jobs
    module Workflow
      # Builds the payloads of steps, and rejects what cannot be one.
      # @api private
      class StepBuilder
        def initialize(workflow_id, limit, encrypt)
          @id = workflow_id
          @limit = limit
          @encryption = StepEncryption.new(workflow_id, encrypt)
        end

        # `dynamic`: the first argument comes later. Raises {ConfigError} and {BadArguments}.
        def job(name, job, args, options, undo, dynamic: false)
          known = StepEncryption.references(args).empty? && !dynamic
          encrypt = {encrypt: @encryption.of(*[job, undo].compact, options)}.compact
          sealing = [name, dynamic ? 1 : 0]
          node = {"item" => item(job, args, {**options, **encrypt}, known, *sealing),
                  "refers" => StepEncryption.references(args)}
          node["undo"] = undo_item(undo, args, encrypt, known, *sealing) if undo
          seconds = job.options.merge(options)[:expires_in]
          node["expires_in"] = seconds if seconds
          node
        end

        def flow(name, workflow, args)
          unless workflow.is_a?(Class) && workflow.include?(Workflow) && workflow.name
            raise ConfigError, "#{workflow.inspect} is no workflow: it needs a name and `include " \
              "Raffia::Workflow`"
          end

          options = {encrypt: (1..args.size).to_a} if @encryption.all? || workflow.options[:encrypt]
          {"item" => item(OpenJob, [workflow.name, *args], options.to_h, true, name),
           "flow" => workflow.name, "undo" => item(UndoJob, [], {}, true, name),
           "refers" => StepEncryption.references(args)}
        end

        private

        def undo_item(undo, args, options, known, name, offset)
          return item(undo, args, options, known, name, offset) unless
            @encryption.options(undo)[:unique]

          raise ConfigError, "#{undo.name} is unique, and cannot be an undo: when another job " \
            "keeps it out, nothing would be undone"
        end

        def item(job, args, options, known, name, offset = 0)
          check(job, @encryption.options(job).merge(options)) unless known
          Client::PayloadBuilder.check_arguments(job.name, args)
          item = Client.with_batch(nil) do
            Setup.current.client.prepare(ConfiguredJob.new(job, options).item(args))
          end
          return limited(@encryption.seal(item, name.to_s, offset)) if item

          raise ConfigError, "a middleware rejects #{job.name} as a step of workflow #{@id}"
        end

        def check(job, options)
          option, = options.find do |name, value|
            value && (name == :unique || value.respond_to?(:call))
          end
          return unless option

          raise ConfigError, "#{option} of #{job.name} needs its arguments, which are not known " \
            "before the workflow runs: set it to a plain value, or nil, for this step"
        end

        # Steps get their ids when they begin. A limit of its own has precedence over that of the
        # workflow.
        def limited(item)
          item = Payload.load(Draft.of(item).payload)
          own = item[Payload::OWN].to_h.except("expires_at")
          own["limit"] ||= {"key" => "workflow:#{@id}", "max" => @limit} if @limit
          {**item.except("jid", "created_at", "enqueued_at"), Payload::OWN => own}
        end
      end
    end
  end
end
