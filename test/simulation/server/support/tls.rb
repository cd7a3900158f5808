# frozen_string_literal: true

require "openssl"
require "tempfile"

module Simulations
  # The certificate of sites, and contexts of their clients. The key is RSA's, because all its
  # signatures have one length: so runs with one seed have packets of the same sizes.
  module TLS
    KEY = OpenSSL::PKey::RSA.new(2_048)
    CERTIFICATE = OpenSSL::X509::Certificate.new.tap do |certificate|
      certificate.version = 2
      certificate.serial = 1
      certificate.subject = certificate.issuer = OpenSSL::X509::Name.parse("/CN=main")
      certificate.public_key = KEY.public_key
      certificate.not_before = Time.utc(1999)
      certificate.not_after = Time.utc(2040)
      certificate.sign(KEY, "SHA256")
    end
    # Removed with the object, after the tests, which run at the exit of the process.
    FILE = Tempfile.new("simulation.pem").tap do |file|
      file.write(CERTIFICATE.to_pem, KEY.to_pem)
      file.close
    end
    # Settings of the server.
    OPTIONS = {tls_cert: [FILE.path].freeze, tls_key: [FILE.path].freeze}.freeze
    private_constant :KEY, :CERTIFICATE, :FILE

    # A client's context.
    # @param version [Symbol] :TLS1_2 or :TLS1_3
    def self.context(version)
      OpenSSL::SSL::SSLContext.new.tap do |context|
        context.min_version = context.max_version = version
        context.cert_store = OpenSSL::X509::Store.new.add_cert(CERTIFICATE)
        context.verify_mode = OpenSSL::SSL::VERIFY_PEER
      end
    end

    # The first bytes of a handshake.
    def self.hello
      client, server = UNIXSocket.pair
      socket = OpenSSL::SSL::SSLSocket.new(client, context(:TLS1_3))
      socket.connect_nonblock(exception: false)
      server.readpartial(16_384)
    ensure
      [client, server].compact.each(&:close)
    end
  end
end
