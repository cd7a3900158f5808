# frozen_string_literal: true

require_relative "../encryption"

module Raffia
  module Jobs
    module Durable
      # Encrypts the values of one durable function whose arguments are encrypted: results of steps,
      # signals, the published value, the end. Those of other functions stay as they are.
      # @api private
      class ValueCipher
        SEALED_ERROR = /\{"#{Encryption::FIELD}":"[^"]+"\}\z/

        # The cipher of a function, from outside. The Hash is that of {Store::Flows#flow}.
        def self.of(flow) = new(flow["id"], flow["class"], encrypted: flow["encrypted"])

        def initialize(id, name, encrypted: false)
          @item = {"jid" => id, "class" => name}
          @encrypted = encrypted
        end

        # A text, usually JSON, at a place where alone it can be decrypted.
        def seal(text, place) = @encrypted ? Encryption.seal_text(text, @item, place) : text

        # The text that was given to {seal}. Raises {UnknownKey} and {DecryptionFailed}.
        def unseal(text, place)
          text.include?(Encryption::FIELD) ? Encryption.unseal_text(text, @item, place) : text
        end

        # The value of parsed JSON that may be encrypted.
        def reveal(value, place)
          return value unless Encryption.sealed?(value)

          JSON.parse(Encryption.unseal(value[Encryption::FIELD], @item, place))
        end

        # The reason of an end, to be read by {reveal_error}.
        def seal_error(message) = seal(message, Encryption::ERROR)

        # The message of a failed job is encrypted as any job's.
        def reveal_error(text)
          text&.sub(SEALED_ERROR) { |sealed| unseal(sealed, Encryption::ERROR) }
        end
      end
    end
  end
end
