# frozen_string_literal: true

require "fileutils"
require "socket"
require_relative "certificate"

module Raffia
  class Server
    class TLS
      # Makes a self-signed certificate for development. Caches it in the user's home, so that a
      # browser trusts it after a restart.
      #
      # @api private
      module SelfSignedCertificate
        # Seconds. Browsers refuse more than 398 days.
        LIFETIME = 390 * 86_400
        RENEW_BEFORE = 7 * 86_400
        NAMES = %w[DNS:localhost DNS:*.localhost IP:127.0.0.1 IP:::1].freeze
        private_constant :LIFETIME, :RENEW_BEFORE, :NAMES

        class << self
          def read_or_make(folder = cache_folder)
            cached(folder) || make.tap { |certificate| cache(certificate, folder) }
          end

          private

          def cache_folder
            ::File.join(::Dir.home, ".cache", "raffia")
          rescue ArgumentError
            nil # no home
          end

          def cached(folder)
            return unless folder && ::File.owned?(path = file(folder))

            certificate = Certificate.read(path, path)
            if certificate.cert.not_after > ::Time.now + RENEW_BEFORE && certificate.for?(host)
              certificate
            end
          rescue ConfigError
            nil
          end

          # Atomic, and never readable by others.
          def cache(certificate, folder)
            return unless folder

            ::FileUtils.mkdir_p(folder)
            fresh = "#{file(folder)}.#{::Process.pid}"
            ::File.write(fresh, certificate.cert.to_pem + certificate.key.private_to_pem,
              perm: 0o600)
            ::File.rename(fresh, file(folder))
          rescue SystemCallError
            nil # a read-only home: each start makes a new one
          end

          def file(folder) = ::File.join(folder, "self_signed.pem")

          def host = ::Socket.gethostname.downcase[/\A[a-z0-9.-]+\z/] || "localhost"

          def make
            key = ::OpenSSL::PKey::EC.generate("prime256v1")
            cert = ::OpenSSL::X509::Certificate.new
            cert.version = 2
            cert.serial = ::OpenSSL::BN.rand(127)
            cert.subject = cert.issuer = ::OpenSSL::X509::Name.new([["CN", "localhost"],
              ["O", "Raffia: for development"]])
            cert.public_key = key
            cert.not_before = ::Time.now - 3600
            cert.not_after = cert.not_before + LIFETIME
            describe(cert)
            Certificate.new(cert.sign(key, "SHA256"), key)
          end

          def describe(cert)
            factory = ::OpenSSL::X509::ExtensionFactory.new(cert, cert)
            [["basicConstraints", "CA:TRUE,pathlen:0", true],
              ["keyUsage", "digitalSignature,keyCertSign", true],
              ["extendedKeyUsage", "serverAuth"],
              ["subjectAltName", [*NAMES, "DNS:#{host}"].uniq.join(",")]].each do |extension|
              cert.add_extension(factory.create_extension(*extension))
            end
          end
        end
      end
    end
  end
end
