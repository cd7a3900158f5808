# frozen_string_literal: true

module Raffia
  class Server
    class TLS
      # A certificate with its key, chain and names.
      #
      # @api private
      class Certificate
        # Paths of PEM files. The chain follows the certificate.
        def self.read(cert_path, key_path)
          cert, *chain = part("certificate",
            cert_path) { |text| ::OpenSSL::X509::Certificate.load(text) }
          # An empty password: without one openssl asks at the terminal.
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

        attr_reader :cert, :key, :chain

        def initialize(cert, key, chain = [])
          @cert = cert
          @key = key
          @chain = chain
          @names = names.map(&:downcase)
        end

        def for?(name) = @names.include?(name.downcase)

        # Whether a wildcard for one label matches.
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
