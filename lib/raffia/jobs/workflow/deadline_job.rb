# frozen_string_literal: true

module Raffia
  module Jobs
    module Workflow
      # Cancels a workflow at its deadline.
      # @api private
      class DeadlineJob
        include Job

        def perform(id)
          flow = Workflow.find(id, store: run&.store || Setup.current.store) or return
          at = flow.status["about"]["deadline"]
          flow.cancel("its deadline has passed") if at && at <= Time.now.to_f + 1
        end
      end
    end
  end
end
