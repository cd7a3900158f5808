# frozen_string_literal: true

require_relative "workflow/transition"

module Raffia
  module Jobs
    class Store
      # Workflows: jobs as the nodes of a graph. A job of a workflow names it under "raffia":
      # {"workflow" => {"id", "node"}}. The end of its claim, the node's result ({Claim#result}),
      # and the jobs that become ready by it are one step. Jobs that fail for good, expire, or are
      # discarded, deleted, cleared or killed make their node dead. A dead job that is requeued goes
      # on, and what was skipped because of it waits again.
      #
      # A unique job that another one keeps out ends its node at once: as done without a result, or,
      # when the conflict is "raise", as dead. No job replaces that of a workflow.
      class Workflows < Group
        # Bytes of a node's result as JSON.
        RESULT = 256 * 1024

        # @api private
        def self.missing(id)
          "there is no workflow #{id}: it was not opened here, or was pruned after its end"
        end

        # Adds a workflow, and the jobs of nodes without predecessors, in one step. The graph has
        # no cycle and no unknown name. A sub-workflow that has ended is removed before, when its
        # step was begun anew: about["opener"] is another one then.
        # @param nodes [Array<Hash>] {"name", "kind" (job, each, flow), "after" (names), "from" (of
        #   `each`: the step with the list), "item" (payload of the job), "undo" (payload),
        #   "on_failure" ("run": after failed predecessors, too), "expires_in", "flow" (class)}
        # @param about [Hash] name, class, deadline, opener (id of the job that opens a
        #   sub-workflow)
        # @param drafts [Array<Draft>] further jobs of the same step
        # @param parent [Array(String, String), nil] workflow and node that end with this one
        # @return [Boolean] false: there is a workflow with this id, and nothing was changed
        # @raise [Error] for a parent that is not running
        def open_workflow(id, nodes, about: {}, drafts: [], parent: nil)
          raise NotImplementedError
        end

        # @return [Hash, nil] {"id", "state" (running, cancelling, undoing, done, failed, cancelled,
        #   undone, stuck), "pending", "dead", "reason", "created_at", "completed_at", "about",
        #   "parent", "parent_node", "nodes" => [{"name", "kind", "state" (waiting, active, done,
        #   dead, skipped, cancelled), "after", "class", "jid", "error", "parent", ...}]}
        def workflow(id) = raise(NotImplementedError)

        # @return [Array<Hash>] of {#workflow} without the nodes, newest first
        def workflows(offset: 0, limit: 50) = raise(NotImplementedError)

        # @param most [Integer] only so many of the newest ones count, where counting reads them
        # @return [Hash{String => Integer}] numbers of workflows by state
        def workflow_counts(most: 1000) = workflows(limit: most).map { |one| one["state"] }.tally

        # @return [String, nil] JSON; of an `each`, a list of its elements' results; nil: none (yet)
        def workflow_result(id, name) = raise(NotImplementedError)

        # Removes jobs that wait, and starts no more. Jobs that run are removed when they would wait
        # again, for a retry or because their worker stops. Durable functions are left to end by
        # themselves. Undos follow when all have ended.
        # @return [Hash, nil] what goes on: {"running" => ids of jobs, "flows" => names of nodes
        #   with a sub-workflow}; nil: it has ended, or does not exist
        def cancel_workflow(id, reason) = raise(NotImplementedError)

        # Runs a step and all that depend on it again.
        # @raise [Error] for one that runs, and for an unknown workflow or step
        def retry_workflow(id, name) = raise(NotImplementedError)

        # Undoes a workflow that is done. One that runs is cancelled; else nothing is changed. The
        # end of a sub-workflow's undo ends its parent's node "undo NAME".
        # @return [Boolean] whether it is there
        def undo_workflow(id, reason) = raise(NotImplementedError)
      end
    end
  end
end
