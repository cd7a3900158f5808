# frozen_string_literal: true

require_relative "encryption"

module Raffia
  module Jobs
    # Hides arguments of jobs from people and logs: encrypted ones, and those that the class's
    # option `redact` names.
    # @api private
    module Redaction
      HIDDEN = "(redacted)"
      # Errors of Raffia, whose messages have nothing of the arguments.
      OPEN = [BadPayload, UnknownKey, UnknownJob].freeze
      OPEN_NAMES = ["Raffia::WorkerDied", *OPEN.map(&:name), "Raffia::Jobs::DecryptionFailed"]
        .map(&:freeze).freeze

      module_function

      # Whether arguments of the payload are hidden.
      def hides?(item)
        own = item[Payload::OWN]
        !!(own.is_a?(Hash) && own["redact"]) || Encryption.sealed_in?(item)
      end

      # The payload as people may see it.
      def item(item)
        return item unless hides?(item)

        own = item[Payload::OWN].is_a?(Hash) ? item[Payload::OWN] : {}
        item = Encryption.with_list(item, list(item, own["redact"])) if
          Encryption.list(item).is_a?(Array)
        item = item.merge(Payload::OWN => fields(own)) if own.any?
        return item unless item["error_message"] && !OPEN_NAMES.include?(item["error_class"])

        item.merge("error_message" => HIDDEN)
      end

      # An error's message for logs.
      def message(item, error, text = error.message) = open?(item, error) ? text : HIDDEN

      # Whether the error's message may be shown.
      def open?(item, error) = OPEN.any? { |kind| error.is_a?(kind) } || !hides?(item)

      class << self
        private

        # Keys of limits, rates and turns come from arguments.
        def fields(own)
          own = own.except(Encryption::ERROR)
          return own if !own["redact"] || own["encrypt"]

          own.transform_values do |field|
            (field.is_a?(Hash) && field.key?("key")) ? {**field, "key" => HIDDEN} : field
          end
        end

        def list(item, redact)
          Encryption.list(item).each_with_index.map do |value, index|
            if Encryption.sealed?(value)
              encrypted(value)
            elsif redact == true || (redact.is_a?(Array) && redact.include?(index))
              HIDDEN
            else
              Encryption::WorkflowValue.replace(value) { |sealed| encrypted(sealed) }
            end
          end
        end

        def encrypted(value)
          "(encrypted with the key #{Encryption.id_of(value[Encryption::FIELD])})"
        end
      end
    end
  end
end
