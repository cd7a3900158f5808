# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      module Workflow
        # A workflow as a whole.
        #
        # * state: running, cancelling, undoing; at the end done, failed, cancelled, undone, or
        #   stuck when an undo is dead
        # * pending, dead: nodes that have not ended, and that are dead
        # * ended: ends until now
        Record = Struct.new(:id, :state, :pending, :dead, :ended, :reason, :created_at,
          :completed_at, :about, :parent, :parent_node) do
          def self.of(id, about, parent)
            new(id, "running", 0, 0, 0, nil, Time.now.to_f, nil, about, *(parent || [nil, nil]))
          end

          # Whether a sub-workflow belongs to an earlier run of its step, and has ended.
          def self.replaceable?(record, about)
            !record.open? && record.about["opener"] != about["opener"]
          end

          # Name of the undo of a node.
          def self.undo(name) = "undo #{name}"

          def running? = state == "running"
          def cancelling? = state == "cancelling"
          def undoing? = state == "undoing"
          def open? = running? || cancelling? || undoing?

          def to_h = super.transform_keys(&:to_s)
        end
      end
    end
  end
end
