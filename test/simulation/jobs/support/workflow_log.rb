# frozen_string_literal: true

module Simulations
  module Jobs
    # Events of the steps of workflows, in order, and the rules that they must obey.
    class WorkflowLog
      # `kind`: :begin, :end or :undo; `jid`: of the step, also for an undo.
      Event = Struct.new(:kind, :flow, :node, :jid)
      OVER = %w[done failed cancelled undone stuck].freeze

      class << self
        # The log of the simulated run.
        attr_accessor :current # rubocop:disable ThreadSafety/ClassAndModuleAttributes
      end

      def initialize(store)
        @store = store
        @events = []
        WorkflowLog.current = self
      end

      def add(kind, job)
        flow, node = job.run.item.dig("raffia", "workflow").values_at("id", "node")
        @events << Event.new(kind, flow, node, job.undoes || job.jid)
      end

      # The rules that do not hold. `strict`: no worker has died, and no step was retried, so that
      # nothing runs beside what follows it.
      def violations(strict: true)
        ids = @store.workflows(limit: 1000).map { |one| one["id"] }
        ids.flat_map { |id| of_flow(@store.workflow(id), strict) } + @store.check
      end

      private

      def of_flow(flow, strict)
        nodes = flow["nodes"]
        found = ends(flow, nodes) + undos(flow, nodes)
        found += order(flow, nodes) if strict
        found.map { |text| "workflow #{flow["id"]} (#{flow["state"]}): #{text}; #{told(flow)}" }
      end

      def told(flow)
        events = @events.select { |one| one.flow == flow["id"] }
        [events.map { |one| "#{one.kind} #{one.node}" }.join(", "),
          flow["nodes"].map { |one| one.values_at("name", "state").join(" ") }.join(", ")].join("; ")
      end

      def ends(flow, nodes)
        states = nodes.map { |node| node["state"] }
        dead = states.count("dead")
        [
          ("has not ended" unless OVER.include?(flow["state"]) && flow["completed_at"]),
          ("has open steps: #{states}" if states.intersect?(%w[waiting active])),
          ("counts #{flow["dead"]} dead nodes, and has #{dead}" if flow["dead"] != dead),
          ("is done with #{states}" if flow["state"] == "done" && states.uniq != %w[done]),
          ("has failed without a dead step" if flow["state"] == "failed" && dead.zero?)
        ].compact
      end

      # All steps with a job have an undo here. They are undone in reverse order.
      def undos(flow, nodes)
        steps, undos = nodes.partition { |node| node["kind"] != "undo" }
        wanted = steps.select { |node| undoable?(node) }.sort_by { |node| -node["ended"].to_i }
        made = undos.sort_by { |node| node["ended"].to_i }.map { |node| node["name"] }
        return made.empty? ? [] : ["has undos #{made}"] unless flow["state"] == "undone"

        names = wanted.map { |node| "undo #{node["name"]}" }
        [("undid #{made}, and not #{names}" if made != names)].compact
      end

      def undoable?(node)
        states = (node["kind"] == "flow") ? %w[done] : %w[done dead cancelled]
        node["jid"] && states.include?(node["state"])
      end

      def order(flow, nodes)
        mine = @events.select { |event| event.flow == flow["id"] }
        first = mine.index { |event| event.kind == :undo } || mine.size
        late = mine.drop(first).find { |event| event.kind == :begin }
        early = mine.each_with_index.find { |event, index| too_early?(event, index, mine, nodes) }
        [("#{late.node} began after an undo" if late),
          ("#{early.first.node} began before what it waits for" if early)].compact
      end

      def too_early?(event, index, mine, nodes)
        return unless event.kind == :begin

        before = nodes.find { |node| node["name"] == event.node }.to_h["after"] || []
        before.any? do |name|
          mine.drop(index).any? { |other| other.kind == :begin && other.node == name }
        end
      end
    end
  end
end
