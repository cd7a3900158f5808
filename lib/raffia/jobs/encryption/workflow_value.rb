# frozen_string_literal: true

module Raffia
  module Jobs
    module Encryption
      # An encrypted argument or result of a workflow's step: {FIELD => ENVELOPE, "of" => step,
      # "part" => ...}. It belongs to a workflow and not to a job, because steps take results of
      # others, and get their ids when they begin. A result that is a list is encrypted element by
      # element, for an `each`.
      # @api private
      module WorkflowValue
        FIELDS = [FIELD, "of", "part"].freeze

        class << self
          # `part` is the position of an argument, or says which result it is.
          def seal(value, workflow, step, part)
            place = place(workflow, step)
            {FIELD => Envelope.seal(value, Encryption.keyring_for(place), place, part),
             "of" => step, "part" => part}
          end

          def seal_result(value, workflow, step)
            return seal(value, workflow, step, "the result") unless value.is_a?(Array)

            value.each_with_index.map { |one, index| seal(one, workflow, step, "element #{index}") }
          end

          def sealed?(value) = value.is_a?(Hash) && value.keys == FIELDS

          # Whether there is one in it, at any depth.
          def in?(value)
            case value
            when Array then value.any? { |one| in?(one) }
            when Hash then sealed?(value) || value.each_value.any? { |one| in?(one) }
            else false
            end
          end

          # The value with plain ones. Raises {UnknownKey} and {DecryptionFailed}.
          def unseal(value, workflow)
            replace(value) do |sealed|
              envelope, step, part = sealed.values_at(*FIELDS)
              Encryption.unseal(envelope.to_s, place(workflow, step), part)
            end
          end

          # The value with what the block returns for encrypted ones.
          def replace(value, &block)
            case value
            when Array then value.map { |one| replace(one, &block) }
            when Hash
              return block.call(value) if sealed?(value)

              value.transform_values { |one| replace(one, &block) }
            else value
            end
          end

          private

          # Takes the place of a payload in {Envelope}.
          def place(workflow, step) = {"jid" => "workflow #{workflow}", "class" => step}
        end
      end
    end
  end
end
