# frozen_string_literal: true

require "openssl"

module TestSupport
  # A CA of our own, and what it signs. Keys are of the kind that is made quickly.
  class Certificates
    # @param dir [String] where the files are written
    def initialize(dir)
      @dir = dir
      @serial = 0
      @key = OpenSSL::PKey::EC.generate("prime256v1")
      @cert = sign("the CA of the tests", @key, "basicConstraints" => "critical,CA:TRUE")
      File.write(ca, @cert.to_pem)
    end

    # @return [String] the path
    def ca = path("ca.pem")

    # @param names [Array<String>] of hosts; the first one names the files too
    # @return [Array(String, String)] paths of the certificate and its key
    def server(*names, file: names.first.tr("*", "_"))
      pair(file, "subjectAltName" => names.map { |name| "DNS:#{name}" }.join(","),
        "extendedKeyUsage" => "serverAuth")
    end

    # @return [Array(String, String)]
    def client(name) = pair(name, {"extendedKeyUsage" => "clientAuth"})

    private

    def path(name) = File.join(@dir, name)

    def pair(name, extensions)
      key = OpenSSL::PKey::EC.generate("prime256v1")
      File.write(path("#{name}.pem"), sign(name, key, extensions).to_pem)
      File.write(path("#{name}.key"), key.private_to_pem)
      [path("#{name}.pem"), path("#{name}.key")]
    end

    def sign(name, key, extensions)
      cert = OpenSSL::X509::Certificate.new
      cert.version = 2
      cert.serial = @serial += 1
      cert.subject = OpenSSL::X509::Name.new([["CN", name]])
      cert.issuer = @cert ? @cert.subject : cert.subject
      cert.public_key = key
      cert.not_before = Time.now - 60
      cert.not_after = Time.now + 3600
      factory = OpenSSL::X509::ExtensionFactory.new(@cert || cert, cert)
      extensions.each { |oid, value| cert.add_extension(factory.create_extension(oid, value)) }
      cert.sign(@key, "SHA256")
    end
  end
end
