# frozen_string_literal: true

require_relative "../redaction"

module Raffia
  module Jobs
    module Redaction
      # A durable function as people may see it. Values are hidden when they are encrypted, when the
      # class's option `redact` hides arguments, and when the class is not loaded here, because its
      # options are not known then.
      # @api private
      class Flow
        SEALED = /\{"#{Encryption::FIELD}":"[^"]*"\}/
        ERROR_CLASS = /\A[A-Z]\w*(?:::[A-Z]\w*)*(?=: )/
        # Fields with values of the function.
        VALUES = %w[state result].freeze
        # Kinds of steps without values of the function.
        OPEN = %w[sleep start patch].freeze
        private_constant :SEALED, :ERROR_CLASS, :VALUES, :OPEN

        # @return [Array<FlowStep>]
        attr_reader :steps

        # The Hash is that of {Store::Flows#flow}.
        def initialize(flow, steps = [])
          @flow = flow
          @steps = steps.map { |step| step.with(value: value_of(step)) }
        end

        def data
          @data ||= {**@flow, "error" => error, **VALUES.to_h do |field|
            [field, @flow[field] && shown(@flow[field], hidden)]
          end}
        end

        # Why it hides values; nil when it shows them.
        def hidden
          return @hidden if defined?(@hidden)

          @hidden = @flow["encrypted"] ? "encrypted" : reason(@flow["class"])
        end

        private

        # Why values of a class are hidden.
        def reason(name)
          return "redacted" if Encryption.secrets_of(name)["redact"]

          "hidden, because the class is not loaded here" unless loaded?(name)
        end

        def loaded?(name)
          name.match?(/\A[A-Z]\w*(?:::[A-Z]\w*)*\z/) && Object.const_defined?(name)
        end

        def shown(json, reason) = reason ? "(#{reason})" : json

        # Errors of a function with hidden arguments may name them.
        def error
          text = @flow["error"] or return
          return text.gsub(SEALED, "(encrypted)") if hidden == "encrypted"

          hidden ? [text[ERROR_CLASS], "(#{hidden})"].compact.join(": ") : text
        end

        # The end of another function is one of its values, too.
        def value_of(step)
          return step.value if step.value.nil? || OPEN.include?(step.kind)

          shown(step.value, hidden || (reason(step.name) if step.kind == "child"))
        end
      end
    end
  end
end
