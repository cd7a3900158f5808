# frozen_string_literal: true

require "openssl"
require_relative "encryption/envelope"

module Raffia
  module Jobs
    # Keys for encrypted arguments of jobs, by id. New jobs use the active key; the others read jobs
    # that were encrypted before a rotation. See {Jobs.keys=}.
    class Keyring
      # Ids of keys.
      ID = /\A[A-Za-z0-9_-]{1,64}\z/
      # Bytes of a key, at least.
      LEAST = 32
      # Hexadecimal digits of a digest.
      DIGITS = 32
      private_constant :LEAST, :DIGITS

      # @return [String] id of the key that new jobs use
      attr_reader :active
      # @return [Array<String>]
      attr_reader :ids

      # @param keys [Hash] see {Jobs.keys=}
      # @raise [ConfigError]
      def initialize(keys)
        check_type(keys)
        @keys = keys.except(:active, :digest).to_h { |id, key| [check_id(id), check(id, key)] }
        @ids = @keys.keys
        @active = known(keys[:active], ":active")
        @digest = derive(known(keys.fetch(:digest, @active), ":digest"), "", "raffia:digest")
        defined?(::Ractor) ? ::Ractor.make_shareable(self) : freeze
      end

      # @param id [String]
      # @param salt [String] such as the id of a job
      # @param purpose [String]
      # @return [String] 32 bytes, by HKDF-SHA256
      # @raise [UnknownKey]
      # @api private
      def derive(id, salt, purpose)
        key = @keys[id] or raise UnknownKey.new(key_id: id)
        OpenSSL::KDF.hkdf(key, salt: salt, info: purpose, length: 32, hash: "SHA256")
      end

      # @return [String] 32 hexadecimal digits, by HMAC-SHA256
      # @api private
      def digest(text) = OpenSSL::HMAC.hexdigest("SHA256", @digest, text)[0, DIGITS]

      # @return [String] without the keys
      def inspect = "#<#{self.class} active: #{@active}, ids: #{@ids.join(", ")}>"

      # @raise [TypeError] keys are not written anywhere
      def marshal_dump = raise(TypeError, "the keys of encrypted jobs are not dumped")

      private

      def check_type(keys)
        return if keys.is_a?(Hash)

        raise ConfigError, "keys must be a Hash such as {active: \"2026-10\", \"2026-10\" => " \
          "32 random bytes}, not #{keys.class}"
      end

      def check_id(id)
        return id.dup.freeze if id.is_a?(String) && ID.match?(id)

        raise ConfigError, "a key's id must be a String of up to 64 letters, digits, - and _, " \
          "not #{id.inspect}"
      end

      # Never shows a key.
      def check(id, key)
        return key.b.freeze if key.is_a?(String) && key.bytesize >= LEAST

        given = key.is_a?(String) ? "#{key.bytesize} bytes" : key.class
        raise ConfigError, "the key #{id} must have #{LEAST} random bytes or more, not #{given}: " \
          "SecureRandom.bytes(#{LEAST}) makes one"
      end

      def known(id, name)
        return id.dup.freeze if @keys.key?(id)

        raise ConfigError, "#{name} must be the id of one of the keys (#{@ids.join(", ")}), not " \
          "#{id.inspect}"
      end
    end
  end
end
