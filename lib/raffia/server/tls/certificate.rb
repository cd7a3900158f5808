# frozen_string_literal: true

require_relative "../../base/error"

module Raffia
  class Server
    class TLS
      # A certificate with its key, chain and names.
      #
      # @api private
      class Certificate
        # @param cert_path [String] PEM: the certificate, then its chain
        # @param key_path [String] PEM
        # @return [Certificate]
        def self.read(cert_path, key_path)
          cert, *chain = part("certificate",
            cert_path) { |text| ::OpenSSL::X509::Certificate.load(text) }
          # With an empty password, else openssl asks for one at the terminal.
          key = part("key", key_path) { |text| ::OpenSSL::PKey.read(text, "") }
          unless cert.check_private_key(key)
            raise ConfigError, "the key #{key_path} does not belong to the certificate #{cert_path}"
          end

          new(cert, key, chain)
        end

        def self.part(what, path)
          yield ::File.read(path)
        rescue SystemCallError => error
          raise ConfigError, "the TLS #{what} #{path} cannot be read: #{error.message}"
        rescue ::OpenSSL::OpenSSLError => error
          raise ConfigError, "#{path} has no TLS #{what} in PEM that can be read: #{error.message}"
        end
        private_class_method :part

        # @return [OpenSSL::X509::Certificate]
        attr_reader :cert
        # @return [OpenSSL::PKey::PKey]
        attr_reader :key
        # @return [Array<OpenSSL::X509::Certificate>]
        attr_reader :chain

        def initialize(cert, key, chain = [])
          @cert = cert
          @key = key
          @chain = chain
          @names = names.map(&:downcase)
        end

        # @param name [String] of a host
        def for?(name) = @names.include?(name.downcase)

        # @return [Boolean] whether a wildcard, for one label, matches
        def covers?(name) = @names.include?(name.downcase.sub(/\A[^.]+/, "*"))

        private

        # The common name counts only without a subjectAltName.
        def names
          extension = cert.extensions.find { |each| each.oid == "subjectAltName" }
          unless extension
            return cert.subject.to_a.filter_map { |kind, value| value if kind == "CN" }
          end

          extension.value.scan(/DNS:([^,\s]+)/).flatten
        end
      end
    end
  end
end
