# frozen_string_literal: true

require_relative "../../jobs/redaction/flow"
require_relative "subcommand"

module Raffia
  module CLI
    class Jobs < Command
      # Shows durable functions, without hidden values.
      class Durable < Subcommand
        STATUSES = %w[pending running waiting stuck done failed cancelled].freeze
        private_constant :STATUSES

        def flows(status = nil)
          unless status.nil? || STATUSES.include?(status)
            raise ConfigError, "#{status} is no status of a durable function: use one of " \
              "#{STATUSES.join(", ")}"
          end

          found = store.flows(status: status, **part).map { |flow| redacted(flow).data }
          answer(found) do
            next "There are none." if found.empty?
            rows = found.map do |flow|
              [flow["id"], flow["class"], flow["status"], flow["steps"], time(flow["started_at"]),
                flow["error"].to_s[0, 60]]
            end
            table([%w[id class status steps started error], *rows])
          end
        end

        def flow(id)
          found = store.flow(id) or
            raise NotFound.new("there is no durable function #{id}: it was never started here, " \
              "or was pruned after its end", name: id)
          steps = store.flow_steps(id)
          unless @options[:reveal]
            shown = redacted(found, steps)
            found, steps = shown.data, shown.steps
          end
          answer({**found, "history" => steps.map(&:to_h)}) { text(found, steps) }
        end

        private

        def redacted(...) = Raffia::Jobs::Redaction::Flow.new(...)

        def text(flow, steps)
          about = flow.slice("class", "status", "run", "parent", "error", "state", "result")
          lines = about.compact.map { |name, value| "#{name}: #{Text.plain(value.to_s)}" }
          lines << "signals not taken: #{flow["signals"].join(", ")}" if flow["signals"].any?
          return lines if steps.empty?

          [*lines, "", *table([%w[step kind name value], *steps.map { |step| row(step) }])]
        end

        def row(step)
          value = step.value ? step.value[0, 60] : "until #{until_when(step)}"
          [step.place, step.kind, step.name, value]
        end

        def until_when(step)
          [("signal #{step.signal}" if step.signal),
            (time(step.at) if step.at < Raffia::Jobs::Store::Flows::NEVER)].compact.join(" or ")
        end
      end
    end
  end
end
