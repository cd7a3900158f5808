# frozen_string_literal: true

module Raffia
  module Jobs
    module Workflow
      # Controls a workflow that was started. A job gets that of its own by {Job#workflow}.
      class Handle
        # @return [String]
        attr_reader :id

        # @api private
        def initialize(id, store)
          @id = id
          @store = store
        end

        # @return [Hash, nil] see {Store::Workflows#workflow}; nil some days after its end
        def status = @store.workflow(@id)

        # @return [Symbol, nil] :running, :cancelling, :undoing, :done, :failed, :cancelled,
        #   :undone, :stuck
        def state = status&.fetch("state")&.to_sym

        # @return [Hash{String => Symbol}] steps and their states: :waiting, :active, :done, :dead,
        #   :skipped, :cancelled
        def states
          status.to_h.fetch("nodes", []).to_h { |node| [node["name"], node["state"].to_sym] }
        end

        # @param step [Symbol, String]
        # @return [Object, nil] what {Job#return_value} got; of an `each`, those of its elements
        # @raise [UnknownKey] for an encrypted one whose key is not there
        def result(step)
          json = @store.workflow_result(@id, step.to_s) or return
          value = JSON.parse(json, max_nesting: false)
          return value unless Encryption::WorkflowValue.in?(value)

          Encryption::WorkflowValue.unseal(value, @id)
        end

        # Removes jobs that wait, cancels those that run, and sub-workflows. Undos follow.
        # @param reason [String] for people
        # @return [Boolean] false: it has ended, or does not exist
        def cancel(reason = "cancelled by hand")
          going_on = @store.cancel_workflow(@id, reason) or return false
          going_on["flows"].each { |step| Handle.new("#{@id}.#{step}", @store).cancel(reason) }
          functions, jobs = going_on["running"].partition { |jid| @store.flow(jid) }
          functions.each { |jid| @store.cancel_flow(jid) }
          cancel_jobs(jobs)
          true
        end

        # Undoes a workflow that is done: its undos run. One that runs is cancelled.
        # @param reason [String] for people
        # @return [Boolean] false: it does not exist
        def undo(reason = "undone by hand")
          cancel(reason)
          @store.undo_workflow(@id, reason)
        end

        # Runs a step, and all that depend on it, again.
        # @param step [Symbol, String]
        # @raise [Error] when one of them runs, or the workflow was undone
        def retry(step)
          @store.retry_workflow(@id, step.to_s)
          nil
        end

        # @return [String] the graph in Mermaid's language
        def to_mermaid
          nodes = status.to_h.fetch("nodes", []).reject { |node| node["parent"] }
          numbers = nodes.each_with_index.to_h { |node, index| [node["name"], "s#{index}"] }
          lines = nodes.flat_map do |node|
            own = numbers[node["name"]]
            ["#{own}[\"#{node["name"]}: #{node["state"]}\"]",
              *node["after"].filter_map { |name| numbers[name] && "#{numbers[name]} --> #{own}" }]
          end
          ["graph TD", *lines].join("\n  ")
        end

        # Names the workflow.
        def inspect = "#<#{self.class} #{@id}>"

        private

        # Workers learn it with their next heartbeat.
        def cancel_jobs(jids)
          return if jids.empty?

          @store.processes.each do |process|
            work = process["work"].to_a.map { |job| job["jid"] }
            (jids & work).each { |jid| @store.order(process["identity"], "cancel #{jid}") }
          end
        end
      end
    end
  end
end
