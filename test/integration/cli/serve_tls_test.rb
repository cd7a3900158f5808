# frozen_string_literal: true

require "support/certificates"
require_relative "serve_case"

module Raffia
  # TLS over several processes, and with clients that are not Ruby's.
  class CLIServeTlsTest < CLIServeCase
    def setup
      super
      @certificates = TestSupport::Certificates.new(@dir)
      @certificates.server("localhost")
    end

    def test_curl_trusts_it_by_its_ca
      need "curl"
      serve_tls do |server|
        port = URI(server.url).port
        output, = Open3.capture2e("curl", "-sS", "--cacert", @certificates.ca, "--resolve",
          "localhost:#{port}:127.0.0.1", "-w", " %{http_version} %{http_code}",
          "https://localhost:#{port}/")
        assert_match(/\A\d+ #{Native.http2? ? 2 : "1.1"} 200\z/, output)
        # curl 7.88 does not end where an upload over HTTP/2 is answered early (nginx's, too).
        output, = Open3.capture2e("curl", "-sS", "--http1.1", "-d", "x" * 100_000,
          "--cacert", @certificates.ca, "--resolve", "localhost:#{port}:127.0.0.1", "-w", " %{http_code}",
          "https://localhost:#{port}/")
        assert_match(/ 200\z/, output)
      end
    end

    def test_for_development
      home = File.join(@dir, "home")
      serve("--tls", "self-signed", "--processes", "1", env: {"HOME" => home}) do |server|
        assert_match(%r{\Ahttps://127\.0\.0\.1:}, server.url)
        @kept = peer(server) { |ssl| ssl.peer_cert.to_der }
        assert_equal 0o600, File.stat(File.join(home, ".cache/raffia/self_signed.pem")).mode & 0o777
      end
      serve("--tls", "self-signed", "--processes", "1", env: {"HOME" => home}) do |server|
        assert_equal @kept, peer(server) { |ssl| ssl.peer_cert.to_der }
      end
    end

    # Whichever worker it was that gave the ticket.
    def test_sessions_are_resumed_by_all_workers
      serve_tls("--processes", "2") do |server|
        session = nil
        peer(server, max_version: :TLS1_2) { |ssl| session = ssl.session }
        assert_equal [true],
          Array.new(12) { peer(server, session: session, max_version: :TLS1_2, &:session_reused?) }
            .uniq
      end
    end

    def test_a_renewed_certificate_reaches_all_workers
      serve_tls("--processes", "2") do |server|
        before = peer(server) { |ssl| ssl.peer_cert.serial }
        @certificates.server("localhost")
        wait_until(PROCESS_PATIENCE) do
          Array.new(12) { peer(server) { |ssl| ssl.peer_cert.serial } }
            .then { |serials| !serials.include?(before) && serials.uniq.one? }
        end
      end
    end

    def test_what_is_wrong_with_the_files_is_said
      ended = raffia("serve", "-p", "0", "--tls-cert", "none.pem", "--tls-key", "none.key")
      assert_equal 2, ended.code
      assert_match(%r{\Araffia: the TLS certificate .*/none\.pem cannot be read: No such file},
        ended.err)
      assert_match(/none\.pem cannot be read/,
        raffia("serve", "--check", "--tls-cert", "none.pem", "--tls-key", "none.key").err)
    end

    def test_openssl_s_client
      need "openssl"
      serve_tls do |server|
        %w[-tls1_2 -tls1_3].each do |version|
          output, = Open3.capture2e("openssl", "s_client", "-connect",
            "127.0.0.1:#{URI(server.url).port}", version, "-servername", "localhost", "-CAfile",
            @certificates.ca,
            "-alpn", "http/1.1", "-quiet", "-verify_return_error",
            stdin_data: "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
          assert_match(%r{HTTP/1\.1 200 OK\r\n}, output)
        end
      end
    end

    private

    def serve_tls(*argv, &)
      serve("-b", "ssl://127.0.0.1:0", "--tls-cert", "localhost.pem", "--tls-key", "localhost.key",
        *argv, &)
    end

    def need(program)
      system(program, "--version", out: File::NULL, err: File::NULL).nil? &&
        skip("#{program} is not installed")
    end

    def peer(server, session: nil, **settings)
      context = OpenSSL::SSL::SSLContext.new
      settings.each { |name, value| context.public_send(:"#{name}=", value) }
      ssl = OpenSSL::SSL::SSLSocket.new(TCPSocket.new("127.0.0.1", URI(server.url).port), context)
      ssl.sync_close = true
      ssl.session = session if session
      ssl.connect
      yield ssl
    ensure
      ssl&.close
    end
  end
end
