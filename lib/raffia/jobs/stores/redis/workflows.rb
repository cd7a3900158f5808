# frozen_string_literal: true

require "securerandom"
require_relative "workflow_jobs"
require_relative "workflow_node"
require_relative "workflow_plan"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Scripts that end jobs change the hashes of their workflows, too: see
        # scripts/parts/workflows.lua. They do what {Store::Workflow::Transition} does elsewhere.
        class Workflows < Store::Workflows
          # Fields of a workflow that are numbers.
          COUNTS = %w[pending dead ended].freeze
          FIELDS = Store::Workflow::Record.members.map(&:to_s).drop(1).freeze

          needs :redis, :format, :enqueue

          def initialize(...)
            super
            @jobs = WorkflowJobs.new(@redis)
          end

          def open_workflow(id, nodes, about: {}, drafts: [], parent: nil)
            steps = WorkflowPlan.of(id, nodes, @format).flat_map(&:to_a)
            opened = @redis.script(:open_workflow, id, JSON.generate(about), *(parent || ["", ""]),
              SecureRandom.hex(Payload::ID_BYTES), @format.version, nodes.size, *steps,
              *@enqueue.arguments(drafts))
            return opened == 1 if opened.is_a?(Integer)

            @enqueue.check(opened) unless opened == "parent"
            raise Error, "workflow #{parent.first} is not running: it gets no sub-workflow"
          end

          def workflow(id)
            fields, nodes, plans = @redis.script(:workflow, id, safe: true)
              .map { |pairs| pairs.each_slice(2).to_h }
            return if fields.empty?

            to_h(id, fields).merge("nodes" => WorkflowNode.all(nodes, plans).map(&:to_h))
          end

          def workflows(offset: 0, limit: 50)
            @redis.with(safe: true) do |connection|
              ids = connection.call("ZRANGE", "raffia:workflows", offset, offset + limit - 1, "REV")
              found = connection.pipelined do |pipeline|
                ids.each { |id| pipeline.call("HMGET", "raffia:workflow:#{id}", *FIELDS) }
              end
              ids.zip(found).filter_map do |id, values|
                to_h(id, FIELDS.zip(values).to_h) if values.any?
              end
            end
          end

          def workflow_result(id, name) = @redis.script(:workflow_result, id, name, safe: true)

          def cancel_workflow(id, reason)
            cancelled = @redis.script(:cancel_workflow, id, reason, safe: true) == 1
            nodes = active_nodes(id) or return
            return going_on(nodes) unless cancelled

            @jobs.drop(id, nodes.map { |node| node["jid"] })
            active_nodes(id)&.then { |left| going_on(left) }
          end

          def retry_workflow(id, name)
            answer = @redis.script(:retry_workflow, id, name)
            raise Error, Store::Workflows.missing(id) if answer == 0
            raise Error, "workflow #{id} cannot be retried: #{answer}" if answer.is_a?(String)
          end

          def undo_workflow(id, reason) = @redis.script(:undo_workflow, id, reason) == 1

          # Violations, for people.
          def check
            ids = @redis.call("ZRANGE", "raffia:workflows", 0, -1)
            ids.filter_map do |id|
              pending, held = @redis.script(:check_workflow, id, safe: true)
              next if pending == held

              "workflow #{id} counts #{pending} pending nodes, and has #{held}"
            end
          end

          private

          # Nodes with a job or a sub-workflow; nil: it has ended, or does not exist.
          def active_nodes(id)
            found = workflow(id)
            return unless found && %w[running cancelling undoing].include?(found["state"])

            found["nodes"].select { |node| node["state"] == "active" && node["jid"] }
              .reject { |node| node["kind"] == "undo" }
          end

          def going_on(nodes)
            flows, jobs = nodes.partition { |node| node["kind"] == "flow" }
            {"running" => jobs.map { |node| node["jid"] },
             "flows" => flows.map { |node| node["name"] }}
          end

          def to_h(id, fields)
            record = {"id" => id, **fields.slice(*FIELDS)}
            COUNTS.each { |name| record[name] = record[name].to_i }
            %w[created_at completed_at].each { |name| record[name] = record[name]&.to_f }
            {**FIELDS.to_h { |name| [name, nil] }, **record,
              "about" => JSON.parse(record["about"])}
          end
        end
      end
    end
  end
end
