# frozen_string_literal: true

module Raffia
  class Server
    class TLS
      # TLS settings of a listener: from its address, else from the options.
      #
      # pairs:: paths of certificates and keys; empty: self-signed
      # ca:: path of the CAs for clients' certificates
      # verify:: :none, :optional or :required
      # min:: the oldest version, as openssl names it
      # handshake_timeout:: seconds
      # http2:: whether HTTP/2 is offered
      #
      # @api private
      Settings = ::Data.define(:pairs, :ca, :verify, :min, :ciphers, :handshake_timeout,
        :http2) do
        def self.of(bind, options)
          ::Ractor.make_shareable(new(pairs: pairs(bind, options),
            ca: (bind.param(:ca) || options.tls_ca)&.then { |path| ::File.expand_path(path) },
            verify: verify(bind, options),
            min: min(bind, options), ciphers: bind.param(:ciphers) ||
              options.tls_ciphers, handshake_timeout: options.tls_handshake_timeout || 86_400,
            http2: options.http2))
        end

        def self.pairs(bind, options)
          certs, keys = bind.params[:cert] ? [bind.params[:cert], bind.params[:key] || []] :
            [options.tls_cert, options.tls_key]
          if bind.params.key?(:self_signed) || (certs.empty? && options.tls == :self_signed)
            return []
          end

          if certs.empty?
            raise ConfigError, "#{bind} has no certificate: name tls_cert and tls_key, or for " \
              "development tls self_signed"
          end
          unless certs.size == keys.size
            raise ConfigError, "#{bind} has #{certs.size} certificates and #{keys.size} keys: " \
              "each needs its own"
          end

          # Absolute: files are read again after the application may have changed the working
          # directory.
          certs.zip(keys).map { |pair| pair.map { |path| ::File.expand_path(path) } }
        end

        def self.verify(bind, options)
          verify = setting(:verify, bind, options)
          if verify != :none && !(bind.param(:ca) || options.tls_ca)
            raise ConfigError, "#{bind}: to verify clients their CAs must be known: name tls_ca"
          end

          verify
        end

        def self.min(bind, options)
          :"TLS#{setting(:min, bind, options).tr(".", "_")}"
        end

        def self.setting(name, bind, options)
          value = bind.param(name) or return options.public_send(:"tls_#{name}")
          Server::Settings.read(:"tls_#{name}", value)
        end
        private_class_method :pairs, :verify, :min, :setting
      end
    end
  end
end
