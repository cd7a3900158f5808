# frozen_string_literal: true

require_relative "../protocols"
require_relative "certificate"
require_relative "self_signed_certificate"

module Raffia
  class Server
    class TLS
      # OpenSSL's contexts, one per certificate, chosen by SNI.
      #
      # @api private
      class Contexts
        VERIFY = {
          none: ::OpenSSL::SSL::VERIFY_NONE, optional: ::OpenSSL::SSL::VERIFY_PEER,
          required: ::OpenSSL::SSL::VERIFY_PEER | ::OpenSSL::SSL::VERIFY_FAIL_IF_NO_PEER_CERT
        }.freeze
        # HTTP frames its messages, so a missing close_notify truncates nothing.
        OPTIONS = ::OpenSSL::SSL::OP_NO_RENEGOTIATION | ::OpenSSL::SSL::OP_NO_COMPRESSION |
          ::OpenSSL::SSL::OP_IGNORE_UNEXPECTED_EOF
        # Remembers its place among the certificates.
        class Context < ::OpenSSL::SSL::SSLContext
          attr_accessor :position
        end
        private_constant :VERIFY, :OPTIONS, :Context

        attr_reader :first

        def initialize(settings)
          @settings = settings
          @stamp = stamp
          @certificates = if settings.pairs.empty?
            [SelfSignedCertificate.read_or_make]
          else
            settings.pairs.map { |cert, key| Certificate.read(cert, key) }
          end
          @contexts = @certificates.each_with_index.map { |each, position| context(each, position) }
          @first = @contexts.first
        end

        # New contexts if the files have changed, else these. Yields the error of unusable files.
        def renewed
          return self if (now = stamp) == @stamp

          self.class.new(@settings)
        rescue ConfigError => error
          yield error
          @stamp = now
          self
        end

        # Whether a connection with this context is the one for requests to that host.
        def serves?(context, host) = context.position == (position(host) || 0)

        private

        def stamp
          [*@settings.pairs.flatten, *@settings.ca].map do |path|
            stat = ::File.stat(path)
            [stat.mtime, stat.ino, stat.size]
          rescue SystemCallError
            nil
          end
        end

        def context(certificate, position)
          context = Context.new
          context.position = position
          context.add_certificate(certificate.cert, certificate.key, certificate.chain)
          harden(context)
          verify(context)
          context.servername_cb = ->((_, name)) { context_for(name) }
          context.alpn_select_cb = ->(offered) { select_protocol(offered) }
          context.setup
          context
        rescue ::OpenSSL::OpenSSLError => error
          raise ConfigError, "TLS: #{error.message}"
        end

        def harden(context)
          context.min_version = @settings.min
          context.ciphers = @settings.ciphers if @settings.ciphers
          context.options |= OPTIONS
          context.session_id_context = "raffia"
        end

        def verify(context)
          context.verify_mode = VERIFY.fetch(@settings.verify)
          return if @settings.verify == :none

          context.ca_file = @settings.ca
          context.client_ca = ::OpenSSL::X509::Certificate.load_file(@settings.ca)
        rescue SystemCallError, ::OpenSSL::X509::CertificateError => error
          raise ConfigError, "tls_ca #{@settings.ca} cannot be read: #{error.message}"
        end

        def select_protocol(offered)
          Protocols.names(@settings.http2).find { |protocol| offered.include?(protocol) } or
            raise ::OpenSSL::SSL::SSLError,
              "no protocol in common with a client that offers #{offered.join(", ")}"
        end

        def context_for(name)
          found = position(name)
          @contexts[found] if found
        end

        # Nil: of no certificate.
        def position(name)
          return if @contexts.one?

          @certificates.index { |certificate| certificate.for?(name) } ||
            @certificates.index { |certificate| certificate.covers?(name) }
        end
      end
    end
  end
end
