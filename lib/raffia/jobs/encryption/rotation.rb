# frozen_string_literal: true

require_relative "../encryption"

module Raffia
  module Jobs
    module Encryption
      # Encrypts a payload of older keys by the active one.
      # @api private
      module Rotation
        class << self
          # The new payload. Raises {UnknownKey} and {DecryptionFailed}.
          def call(item)
            keyring = Encryption.keyring_for(item)
            fresh = Encryption.envelopes(item).to_h do |index, envelope|
              [index, renewed(envelope, keyring, item, index)]
            end
            error = fresh.delete(ERROR)
            item = {**item, Payload::OWN => {**item[Payload::OWN], ERROR => error}} if error
            fresh.empty? ? item : with_fresh(item, fresh)
          end

          private

          def renewed(envelope, keyring, item, index)
            return envelope if Encryption.id_of(envelope) == keyring.active

            Envelope.seal(Encryption.unseal(envelope, item, index), keyring, item, index)
          end

          def with_fresh(item, fresh)
            list = Encryption.list(item).each_with_index.map do |value, index|
              fresh.key?(index) ? {FIELD => fresh[index]} : value
            end
            Encryption.with_list(item, list)
          end
        end
      end
    end
  end
end
