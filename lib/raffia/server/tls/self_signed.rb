# frozen_string_literal: true

require "fileutils"
require "socket"
require_relative "certificate"

module Raffia
  class Server
    class TLS
      # A certificate for development, signed by nobody. It is kept in the user's cache, so that a
      # browser that was told to trust it still does after a restart.
      #
      # @api private
      module SelfSigned
        # Seconds: browsers take none that is good for longer than 398 days; one with less than a
        # week to live is made anew.
        LIFE = 390 * 86_400
        REST = 7 * 86_400
        NAMES = %w[DNS:localhost DNS:*.localhost IP:127.0.0.1 IP:::1].freeze
        private_constant :LIFE, :REST, :NAMES

        class << self
          # @param folder [String, nil] where it is kept; nil: nowhere
          # @return [Certificate]
          def certificate(folder = cache)
            kept(folder) || make.tap { |certificate| keep(certificate, folder) }
          end

          private

          def cache
            ::File.join(::Dir.home, ".cache", "raffia")
          rescue ArgumentError
            nil # nobody's home
          end

          def kept(folder)
            return unless folder && ::File.owned?(path = file(folder))

            certificate = Certificate.read(path, path)
            certificate if certificate.cert.not_after > ::Time.now + REST && certificate.for?(host)
          rescue ConfigError
            nil
          end

          # In one step, and readable by nobody else, not even for a moment.
          def keep(certificate, folder)
            return unless folder

            ::FileUtils.mkdir_p(folder)
            fresh = "#{file(folder)}.#{::Process.pid}"
            ::File.write(fresh, certificate.cert.to_pem + certificate.key.private_to_pem,
              perm: 0o600)
            ::File.rename(fresh, file(folder))
          rescue SystemCallError
            nil # a read-only home: it is made anew each time
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
            cert.not_after = cert.not_before + LIFE
            describe(cert)
            Certificate.new(cert.sign(key, "SHA256"), key)
          end

          def describe(cert)
            factory = ::OpenSSL::X509::ExtensionFactory.new(cert, cert)
            cert.add_extension(factory.create_extension("basicConstraints", "CA:TRUE,pathlen:0",
              true))
            cert.add_extension(factory.create_extension("keyUsage", "digitalSignature,keyCertSign",
              true))
            cert.add_extension(factory.create_extension("extendedKeyUsage", "serverAuth"))
            cert.add_extension(factory.create_extension("subjectAltName",
              [*NAMES, "DNS:#{host}"].uniq.join(",")))
          end
        end
      end
    end
  end
end
