# frozen_string_literal: true

require_relative "workflow_template"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # A step as the scripts get it: what it waits for, what waits for it, and its jobs as
        # templates.
        # @api private
        class WorkflowPlan
          # Fields under "raffia" of jobs that are more than an entry of Sidekiq's list.
          SPECIAL = %w[priority fair batch unique flow].freeze

          # Plans of all steps, in their order.
          def self.of(id, nodes, format)
            before = nodes.to_h { |node| [node["name"], [*node["after"], *node["from"]].uniq] }
            after = Hash.new { |all, name| all[name] = [] }
            before.each { |name, names| names.each { |one| after[one] << name } }
            nodes.map do |node|
              name = node["name"]
              new(id, node, before[name], after.fetch(name, []).sort, format)
            end
          end

          def initialize(id, node, before, after, format)
            @id = id
            @node = node
            @before = before
            @after = after
            @format = format
          end

          # Arguments of the script.
          def to_a = [@node["name"], @node["kind"], @before.size, JSON.generate(to_h)]

          private

          def to_h
            item, undo = @node.values_at("item", "undo")
            {**@node.slice("from", "on_failure", "expires_in"), "after" => @before,
             "next" => @after, "class" => @node["flow"] || item["wrapped"] || item["class"],
             "job" => job(item, WorkflowTemplate.step(@id, expires: @node.key?("expires_in"))),
             "unique" => item.dig(Payload::OWN, "unique"),
             "undo" => (undo_of(item, undo) if undo)}.compact
          end

          # It gets the arguments of the step.
          def undo_of(item, undo)
            {**job({**undo, "args" => item["args"]}, WorkflowTemplate.undo(@id)),
              "class" => undo["wrapped"] || @node["flow"] || undo["class"]}
          end

          def job(item, own)
            item = @format.outgoing_item(item)
            extras = item[Payload::OWN].to_h
            args = WorkflowTemplate.arguments(item["args"], element: @node["kind"] == "each")
            {"queue" => item["queue"], "plain" => (extras.keys & SPECIAL).empty?,
             "template" => WorkflowTemplate.text({**item, "args" => args,
               **WorkflowTemplate::FIELDS, Payload::OWN => {**quiet(extras), **own}})}
          end

          # An error would end the script: it makes the step dead instead.
          def quiet(extras)
            return extras unless extras.dig("unique", "conflict") == "raise"

            {**extras, "unique" => {**extras["unique"], "conflict" => "skip"}}
          end
        end
      end
    end
  end
end
