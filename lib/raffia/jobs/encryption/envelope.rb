# frozen_string_literal: true

require "openssl"

module Raffia
  module Jobs
    module Encryption
      # An encrypted value: "1.KEY_ID.BASE64", which has a nonce, the text and its tag. AES-256-GCM
      # with a key for each job, because one key is safe for 2^32 random nonces only. The text is
      # JSON, padded by spaces to hide its length; it is not compressed, because compressed lengths
      # tell about the text.
      # @api private
      module Envelope
        VERSION = "1"
        CIPHER = "aes-256-gcm"
        PURPOSE = "raffia:enc:1"
        NONCE = 12
        TAG = 16
        # The padded text has a multiple of so many bytes.
        BLOCK = 64
        # Classes of Active Jobs, by the version of Sidekiq: a store may replace one by another.
        ADAPTERS = %w[Sidekiq::ActiveJob::Wrapper
          ActiveJob::QueueAdapters::SidekiqAdapter::JobWrapper].freeze
        private_constant :ADAPTERS

        class << self
          # The value's place is a job and an index; an envelope is valid nowhere else.
          def seal(value, keyring, item, index)
            text = JSON.generate(value)
            text = text.b.ljust((text.bytesize / BLOCK + 1) * BLOCK)
            id = keyring.active
            cipher = OpenSSL::Cipher.new(CIPHER).encrypt
            nonce = prepare(cipher, nil, keyring, id, item, index)
            sealed = cipher.update(text) << cipher.final
            "#{VERSION}.#{id}.#{["#{nonce}#{sealed}#{cipher.auth_tag(TAG)}"].pack("m0")}"
          end

          # Raises {UnknownKey} and {DecryptionFailed}.
          def unseal(envelope, keyring, item, index)
            version, id, data = envelope.split(".", 3)
            check_version(version, id, index)
            nonce, text, tag = parts(data, item, index)
            cipher = OpenSSL::Cipher.new(CIPHER).decrypt
            prepare(cipher, nonce, keyring, id, item, index)
            cipher.auth_tag = tag
            JSON.parse(cipher.update(text) << cipher.final)
          rescue OpenSSL::Cipher::CipherError
            raise failure(item, index, "it was changed, or belongs to another job or place, or " \
              "the key #{id} is not the one that it was encrypted with")
          end

          private

          # Returns the nonce, a new one for nil.
          def prepare(cipher, nonce, keyring, id, item, index)
            cipher.key = keyring.derive(id, item["jid"].to_s, PURPOSE)
            nonce ? cipher.iv = nonce : nonce = cipher.random_iv
            cipher.auth_data = JSON.generate([VERSION, id, item["jid"], class_of(item),
              item["wrapped"], index])
            nonce
          end

          def class_of(item) = ADAPTERS.include?(item["class"]) ? ADAPTERS.first : item["class"]

          # Nonce, text and tag. OpenSSL would accept shorter tags.
          def parts(data, item, index)
            bytes = data.to_s.unpack1("m0")
            nonce = bytes.byteslice(0, NONCE)
            text = bytes.byteslice(NONCE...-TAG).to_s
            tag = bytes.byteslice(-TAG, TAG).to_s
            unless tag.bytesize == TAG && !text.empty? && (text.bytesize % BLOCK).zero?
              raise failure(item, index, "it is incomplete")
            end

            [nonce, text, tag]
          rescue ArgumentError
            raise failure(item, index, "it is no base 64")
          end

          # A newer worker may have written it, as with keys.
          def check_version(version, id, index)
            return if version == VERSION || !version.to_s.match?(/\A\d+\z/)

            raise UnknownKey.new("#{Encryption.describe(index)} is encrypted in the format " \
              "#{version}, and this worker knows only #{VERSION}: update it", key_id: id)
          end

          def failure(item, index, reason)
            DecryptionFailed.new("#{Encryption.describe(index)} of #{Payload.class_name(item)} " \
              "cannot be decrypted: #{reason}")
          end
        end
      end
    end
  end
end
