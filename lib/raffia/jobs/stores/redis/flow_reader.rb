# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Flows and their steps as scripts/parts/flows.lua writes them.
        # @api private
        module FlowReader
          # Characters of a signal's number.
          NUMBER = 15

          module_function

          # Reads a flow, in two answers.
          def read(pipeline, id)
            pipeline.call("HGETALL", "raffia:flow:#{id}")
            pipeline.call("ZRANGE", "raffia:flow_signals:#{id}", 0, -1)
          end

          def to_h(id, fields, signals)
            {"id" => id, "class" => fields["class"], "run" => fields["run"].to_i,
             "status" => fields["status"], "cancelled" => fields["cancelled"] == "1",
             "encrypted" => fields["encrypted"] == "1",
             "parent" => fields["parent"], "state" => fields["state"],
             "result" => fields["result"], "error" => fields["error"],
             "started_at" => fields["started_at"]&.to_f, "ended_at" => fields["ended_at"]&.to_f,
             "steps" => fields["steps"].to_i, "signals" => names(signals)}
          end

          # In the order in which the steps were recorded.
          def steps(texts)
            texts.map { |place, text| [place, *text.split("\n", 4)] }
              .sort_by { |_, number| number.to_i }
              .map { |place, _, at, about, value| step(place, at, about, value) }
          end

          # The description of a step, which does not change.
          def about(step) = JSON.generate([step.kind, step.name, step.signal])

          def step(place, at, about, value)
            kind, name, signal = JSON.parse(about)
            FlowStep.new(place:, kind:, name:, value:, at: (at.to_f unless at.empty?), signal:)
          end

          # A member is "LENGTH:NAME", a number and the payload.
          def names(signals)
            found = signals.map do |member|
              length, = member.split(":", 2)
              name = member.byteslice(length.bytesize + 1, length.to_i)
              [member.byteslice(length.bytesize + 1 + name.bytesize, NUMBER).to_i, name]
            end
            found.sort.map(&:last)
          end

          private_class_method :step, :names
        end
      end
    end
  end
end
