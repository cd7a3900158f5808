# frozen_string_literal: true

require_relative "../encryption"
require_relative "../redaction"
require_relative "../store"

module Raffia
  module Jobs
    class Web
      # A durable function as people may see it. Values are hidden when they are encrypted, when the
      # class's option `redact` hides arguments, and when the class is not loaded here, because its
      # options are not known then.
      # @api private
      class FlowPresenter
        SEALED = /\{"#{Encryption::FIELD}":"[^"]*"\}/
        CHILD = /\Achild:(.+)\z/m
        # Fields with values of the function.
        VALUES = %w[state result].freeze
        # Kinds of steps without values of the function.
        OPEN = %w[sleep start patch].freeze
        private_constant :SEALED, :CHILD, :VALUES, :OPEN

        attr_reader :steps

        def initialize(flow, steps = [])
          @flow = flow
          @steps = steps.map { |step| step.with(value: value_of(step)) }
        end

        def id = @flow["id"]

        def name = @flow["class"]

        def status = @flow["status"]

        def [](field) = data[field]

        def data
          @data ||= {**@flow, "error" => error,
                              **VALUES.to_h { |field| [field, @flow[field] && shown(@flow[field])] }}
        end

        def ended? = Store::Flows::ENDED.include?(status)

        # Why it hides values; nil when it shows them.
        def hidden
          return "encrypted" if @flow["encrypted"]
          return "redacted" if Encryption.secrets_of(name)["redact"]

          "hidden, because the class is not loaded here" unless loaded?
        end

        # The published value as JSON.
        def published = unwrap(data["state"])

        # The value of a recorded step as JSON.
        def value(step) = unwrap(step.value)

        # Steps that it waits in.
        def waits = steps.select(&:pending?)

        # The time of a step that waits; nil: there is none.
        def until(step) = (step.at if step.at && step.at < Store::Flows::NEVER)

        # The signal of a step that waits; nil for that of a child.
        def signal(step) = (step.signal unless step.signal.to_s.match?(CHILD))

        # Ids of functions that it has started.
        def children
          steps.flat_map { |step|
            next [step.signal[CHILD, 1]].compact if step.signal
            next [] unless step.kind == "start" && step.value

            JSON.parse(step.value).grep(String)
          }.uniq
        rescue JSON::ParserError
          []
        end

        private

        # A value is stored in an Array.
        def unwrap(json) = json.delete_prefix("[").delete_suffix("]")

        def loaded?
          return @loaded if defined?(@loaded)

          @loaded = name.match?(/\A[A-Z]\w*(?:::[A-Z]\w*)*\z/) && Object.const_defined?(name)
        end

        def shown(json) = (hidden ? "(#{hidden})" : json)

        # Errors of a function with hidden arguments may name them.
        def error
          text = @flow["error"] or return
          return text.gsub(SEALED, "(encrypted)") if hidden == "encrypted"

          hidden ? "#{text[/\A[\w:]+/]}: (#{hidden})" : text
        end

        def value_of(step)
          return step.value if step.value.nil? || OPEN.include?(step.kind)

          shown(step.value)
        end
      end
    end
  end
end
