# frozen_string_literal: true

require_relative "driver_case"
require "net/http"
require "openssl"

# net/http, plain and over TLS, against a server that answers only when all have asked: one after
# the other they would wait for ever.
module HTTPCase
  COUNT = 50

  KEY = OpenSSL::PKey::EC.generate("prime256v1")
  private_constant :KEY

  # Self-signed, for loopback, and so also what the client trusts.
  CERTIFICATE = OpenSSL::X509::Certificate.new.tap do |certificate|
    certificate.version, certificate.serial = 2, 1
    certificate.subject = certificate.issuer = OpenSSL::X509::Name.parse("/CN=127.0.0.1")
    certificate.not_before, certificate.not_after = Time.now - 3600, Time.now + 86_400
    certificate.public_key = KEY
    certificate.add_extension(OpenSSL::X509::ExtensionFactory.new
      .create_extension("subjectAltName", "IP:127.0.0.1"))
    certificate.sign(KEY, "SHA256")
  end
  private_constant :CERTIFICATE

  def setup = nil

  def teardown = nil

  def test_50_requests_at_the_same_time
    run_fibers do |scope|
      all = Raffia::Barrier.new(COUNT)
      serve(scope, before: -> { all.wait }) do |port|
        assert_equal answers, ask(scope, port).map(&:value)
      end
    end
  end

  def test_50_requests_over_tls_at_the_same_time
    run_fibers do |scope|
      all = Raffia::Barrier.new(COUNT)
      serve(scope, before: -> { all.wait }, wrap: method(:secure)) do |port|
        assert_equal answers, ask(scope, port, use_ssl: true, cert_store: trust).map(&:value)
      end
    end
  end

  def test_a_server_that_is_silent_runs_into_either_time_limit
    run_fibers do |scope|
      serve(scope, before: -> { sleep }, wrap: method(:secure)) do |port|
        options = {use_ssl: true, cert_store: trust, max_retries: 0}
        assert_raises(Net::ReadTimeout) { get(port, "/", **options, read_timeout: 0.02) }
        assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.2) { get(port, "/", **options) } }
      end
    end
  end

  # TLS that never comes about: the client speaks, the server does not.
  def test_a_handshake_that_never_ends_runs_into_either_time_limit
    run_fibers do |scope|
      serve(scope, before: -> {}, wrap: ->(_socket) { sleep }) do |port|
        options = {use_ssl: true, cert_store: trust, max_retries: 0}
        assert_raises(Net::OpenTimeout) { get(port, "/", **options, open_timeout: 0.02) }
        assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.02) { get(port, "/", **options) } }
      end
    end
  end

  private

  def answers = Array.new(COUNT) { |number| "/#{number}" * 10_000 }

  def ask(scope, port, **options)
    Array.new(COUNT) { |number| scope.spawn { get(port, "/#{number}", **options) } }
  end

  def get(port, path, **options)
    Net::HTTP.start("127.0.0.1", port, nil, **options) { |http| http.get(path).body }
  end

  # In fibers of the same scheduler, for the time of the block.
  def serve(scope, before:, wrap: :itself.to_proc)
    server = TCPServer.new("127.0.0.1", 0)
    accepting = scope.spawn do
      Raffia::Scope.open do |connections|
        loop { server.accept.then { |socket| connections.spawn { answer(socket, before, wrap) } } }
      end
    end
    yield server.addr[1]
  ensure
    accepting&.cancel
    accepting&.join
    server&.close
  end

  def answer(socket, before, wrap)
    stream = wrap.call(socket)
    path = stream.gets[/ (\S+) /, 1]
    nil until stream.gets == "\r\n"
    before.call
    body = path * 10_000
    stream.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: #{body.bytesize}\r\n\r\n",
      body)
  rescue SystemCallError, IOError, OpenSSL::SSL::SSLError
    nil # the client has left
  ensure
    stream&.close
    socket.close
  end

  def secure(socket)
    context = OpenSSL::SSL::SSLContext.new
    context.cert, context.key = CERTIFICATE, KEY
    OpenSSL::SSL::SSLSocket.new(socket, context).tap { |stream| stream.sync_close = true }.accept
  end

  def trust = OpenSSL::X509::Store.new.add_cert(CERTIFICATE)

  DriverCase.run(self)
end
