# frozen_string_literal: true

module Raffia
  module Jobs
    module Workflow
      # Undoes a sub-workflow that is done, when the outer one is undone. Runs again without effect.
      # @api private
      class UndoJob
        include Job

        # Gets the arguments of the step's {OpenJob}.
        def perform(*)
          outer, step = run.item.dig(Payload::OWN, "workflow").values_at("id", "node")
          id = "#{outer}.#{step.delete_prefix(Store::Workflow::Record.undo(""))}"
          store = run.store || Setup.current.store
          reason = "workflow #{outer} is undone"
          Handle.new(id, store).cancel(reason)
          raise Error, Store::Workflows.missing(id) unless store.undo_workflow(id, reason)
        end
      end
    end
  end
end
