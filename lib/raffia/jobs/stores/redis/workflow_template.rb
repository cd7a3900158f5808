# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # A payload in JSON with placeholders, where scripts put results, ids and times: see
        # scripts/parts/workflow_start.lua. So they never decode arguments. Placeholders are
        # characters that JSON does not have.
        # @api private
        module WorkflowTemplate
          # Text as it is.
          Placeholder = Data.define(:text)

          JID = Placeholder.new("\"\u0003\"")
          TIME = Placeholder.new("\u0004")
          EXPIRY = Placeholder.new("\u0005")
          ELEMENT = Placeholder.new("\u0006")
          NODE = Placeholder.new("\u0007")
          UNDONE = Placeholder.new("\"\b\"")
          FIELDS = {"jid" => JID, "created_at" => TIME, "enqueued_at" => TIME}.freeze
          private_constant :JID, :TIME, :EXPIRY, :ELEMENT, :NODE, :UNDONE

          module_function

          # Fields under "raffia" of a step's job.
          def step(id, expires:)
            {"workflow" => {"id" => id, "node" => NODE}, "expires_at" => (EXPIRY if expires)}
              .compact
          end

          # Those of an undo's.
          def undo(id) = {"workflow" => {"id" => id, "node" => NODE, "undoes" => UNDONE}}

          # The element of an `each` comes first.
          def arguments(args, element:) = element ? [ELEMENT, *args] : args

          # `around` is the number of values that this one is in.
          def text(value, around = 0)
            case value
            when Placeholder then value.text
            when Array then "[#{value.map { |one| text(one, around + 1) }.join(",")}]"
            when Hash then hash(value, around)
            else JSON.generate(value)
            end
          end

          class << self
            private

            def hash(value, around)
              name = value[Store::Workflow::Start::REFERENCE]
              return "\u0001#{around} #{name}\u0002" if name && value.size == 1

              "{#{value.map { |key, one| "#{JSON.generate(key.to_s)}:#{text(one, around + 1)}" }
                .join(",")}}"
            end
          end
        end
      end
    end
  end
end
