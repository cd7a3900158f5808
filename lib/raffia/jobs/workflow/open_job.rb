# frozen_string_literal: true

module Raffia
  module Jobs
    module Workflow
      # Opens a sub-workflow when its step has come. Runs again without effect.
      # @api private
      class OpenJob
        include Job

        # Errors that come again in each try.
        FINAL = [UnknownJob, ConfigError, BadArguments, PayloadTooLarge].freeze
        private_constant :FINAL

        retry_in { |_, error| :bury if FINAL.any? { |kind| error.is_a?(kind) } }

        # Raises {UnknownJob} when the class is gone.
        def perform(name, *args)
          own = run.item.dig(Payload::OWN, "workflow")
          parent = own.values_at("id", "node")
          workflow_class(name).definition(args, parent.join("."))
            .start(parent: parent, opener: jid)
        end

        private

        def workflow_class(name)
          found = Object.const_get(name)
          return found if found.is_a?(Class) && found.include?(Workflow)

          raise UnknownJob, "#{name} is no workflow: it needs `include Raffia::Workflow`"
        rescue NameError => error
          raise error unless error.receiver.equal?(Object) || name.start_with?(error.receiver.to_s)

          raise UnknownJob, "there is no workflow #{name} in this worker: require the file that " \
            "has it (raffia work -r FILE)"
        end
      end
    end
  end
end
