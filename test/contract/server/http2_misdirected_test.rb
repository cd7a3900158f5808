# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "raffia/server"
require "support/certificates"
require "support/http2/connection"

# Requests for another host than that of the connection (RFC 9110, 15.5.20).
class HTTP2MisdirectedTest < Raffia::TestCase
  FRAMES = TestSupport::HTTP2::Frames

  def setup
    super
    skip "built without libnghttp2" unless Raffia::Native.http2?
    @dir = Dir.mktmpdir("raffia-test-")
    @certificates = TestSupport::Certificates.new(@dir)
  end

  def teardown
    FileUtils.remove_entry(@dir) if @dir
    super
  end

  def test_with_certificates_of_clients_each_name_has_its_connection
    serve(tls_ca: @certificates.ca, tls_verify: :required) do |server|
      {"a.test" => {"a.test" => 200, "b.test" => 421, "B.test:443" => 421,
                    "unknown.test" => 200},
       "b.test" => {"b.test" => 200, "B.TEST:8443" => 200, "x.b.test" => 200, "a.test" => 421,
                    "unknown.test" => 421},
       nil => {"a.test" => 200, "127.0.0.1" => 200, "unknown.test" => 200, "b.test" => 421}}
        .each do |name, hosts|
        connect(server, name) do |client|
          assert_equal hosts, hosts.each_with_index.to_h { |(host, _), n|
            [host, status(client, n * 2 + 1, host)]
          }, name
        end
      end
    end
  end

  # The application does not get it, other requests go on, and a body that nobody reads is stopped.
  def test_it_concerns_one_request
    serve(tls_ca: @certificates.ca, tls_verify: :required) do |server|
      connect(server, "a.test") do |client|
        client.write(FRAMES.headers(1, fields("b.test", "POST"), flags: [:end_headers]))
        response = client.response(1)
        assert_equal [421, "this host needs a connection of its own\n"],
          [response.status, response.body]
        assert_equal :no_error, client.take(:rst_stream, stream: 1).error
        assert_equal 200, status(client, 3, "a.test")
      end
      assert_equal ["a.test"], @hosts
    end
  end

  def test_it_stays_so_when_certificates_are_renewed
    serve(tls_ca: @certificates.ca, tls_verify: :required) do |server|
      connect(server, "b.test") do |client|
        make_pairs
        wait_until { connect(server, "b.test") { @ssl.peer_cert.serial > @serial } }
        assert_equal [200, 421], [status(client, 1, "b.test"), status(client, 3, "a.test")]
      end
    end
  end

  def test_without_certificates_of_clients_a_connection_serves_all_names
    serve do |server|
      connect(server, "a.test") do |client|
        assert_equal [200, 200], [status(client, 1, "a.test"), status(client, 3, "b.test")]
      end
    end
  end

  private

  def make_pairs
    [@certificates.server("a.test"), @certificates.server("b.test", "*.b.test")]
  end

  def serve(**options, &)
    pairs = make_pairs
    @hosts = []
    app = lambda do |env|
      @hosts << env["SERVER_NAME"]
      [200, {}, []]
    end
    Raffia::Server.start(app, bind: "ssl://127.0.0.1:0", tls_cert: pairs.map(&:first),
      tls_key: pairs.map(&:last), log: File::NULL, **options, &)
  end

  def connect(server, name)
    context = OpenSSL::SSL::SSLContext.new
    context.alpn_protocols = ["h2"]
    cert, key = @certificates.client("alice")
    context.add_certificate(OpenSSL::X509::Certificate.new(File.read(cert)),
      OpenSSL::PKey.read(File.read(key)))
    @ssl = OpenSSL::SSL::SSLSocket.new(TCPSocket.new("127.0.0.1", server.port), context)
    @ssl.sync_close = true
    @ssl.hostname = name if name
    @ssl.connect
    @serial ||= @ssl.peer_cert.serial
    client = TestSupport::HTTP2::Connection.new(@ssl)
    client.greet
    yield client
  ensure
    client&.close
  end

  def status(client, stream, host)
    client.write(FRAMES.headers(stream, fields(host)))
    client.response(stream).status
  end

  def fields(host, method = "GET")
    [[":method", method], [":scheme", "https"], [":path", "/"], [":authority", host]]
  end
end
