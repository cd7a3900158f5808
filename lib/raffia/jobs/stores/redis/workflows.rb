# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Redis keeps no workflows yet.
        class Workflows < Store::Workflows
          REFUSAL = "the redis store keeps no workflows: use the store of SQLite or PostgreSQL"

          def open_workflow(id, nodes, about: {}, drafts: [], parent: nil) = refuse
          def workflow(id) = nil
          def workflows(offset: 0, limit: 50) = []
          def workflow_result(id, name) = nil
          def cancel_workflow(id, reason) = refuse
          def retry_workflow(id, name) = refuse
          def undo_workflow(id, reason) = refuse

          private

          def refuse = raise(Error, REFUSAL)
        end
      end
    end
  end
end
