# frozen_string_literal: true

require "test_helper"
require "raffia/server"
require "support/certificates"
require "net/http"
require "open3"
require "tmpdir"

module Raffia
  # TLS by Ruby's own client, which can behave badly on request.
  class ServerTlsTest < TestCase
    ECHO = lambda do |env|
      [200, {"content-type" => "text/plain"},
        ["#{env["rack.url_scheme"]} #{env["HTTPS"]} #{env["PATH_INFO"]} " \
          "#{env["rack.input"].read.bytesize}"]]
    end

    def setup
      super
      @dir = Dir.mktmpdir("raffia-test-")
      @certificates = TestSupport::Certificates.new(@dir)
      @pair = @certificates.server("localhost", "a.test")
    end

    def teardown
      FileUtils.remove_entry(@dir)
      super
    end

    def test_requests_come_by_https
      serve do |server|
        assert_match(/\Ahttps:/, server.url)
        assert_equal "https on /x 0", request(server, "GET /x HTTP/1.1\r\nhost: a\r\n\r\n")
      end
    end

    def test_keep_alive_pipelining_and_bodies
      serve do |server|
        connect(server) do |ssl|
          ssl.write("GET /1 HTTP/1.1\r\nhost: a\r\n\r\nPOST /2 HTTP/1.1\r\nhost: " \
            "a\r\ncontent-length: 100000\r\n\r\n#{"x" * 100_000}")
          assert_equal "https on /1 0", answer(ssl)
          assert_equal "https on /2 100000", answer(ssl)
          ssl.write("GET /3 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
          assert_equal "https on /3 0", answer(ssl)
          assert_nil ssl.read(1), "the server says that it closes (close_notify): without it " \
            "this would raise"
        end
      end
    end

    def test_an_answer_is_sent_while_the_next_app_waits
      gate = Thread::Queue.new
      serve(->(env) { [200, {}, [(env["PATH_INFO"] == "/1") ? "1" : gate.pop]] }) do |server|
        connect(server) do |ssl|
          ssl.write("GET /1 HTTP/1.1\r\nhost: a\r\n\r\nGET /2 HTTP/1.1\r\nhost: a\r\n\r\n")
          assert_equal "1", answer(ssl)
          gate << "2"
          assert_equal "2", answer(ssl)
        end
      end
    end

    def test_a_byte_a_record
      serve do |server|
        connect(server) do |ssl|
          "POST /slow HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhello".each_char do |char|
            ssl.write(char)
          end
          assert_equal "https on /slow 5", answer(ssl)
        end
      end
    end

    def test_large_responses_to_a_slow_reader
      body = Random.new(1).bytes(3_000_000)
      serve(->(_env) { [200, {"content-length" => body.bytesize.to_s}, [body]] }) do |server|
        connect(server) do |ssl|
          ssl.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
          head = ssl.gets("\r\n\r\n")
          assert_match(/content-length: 3000000/, head)
          received = +""
          received << ssl.readpartial(10_000) until received.bytesize == body.bytesize
          assert_equal body, received.b
        end
      end
    end

    def test_an_upload_that_never_pauses_lets_others_have_their_turn
      app = lambda do |env|
        row = longest = 0
        Raffia::Scope.open do |scope|
          scope.spawn do
            while row
              row = 0
              sleep(0)
            end
          end
          longest = [longest, row += 1].max while env["rack.input"].read_partial(16_384)
        rescue EOFError
          row = nil
        end
        [200, {}, [longest.to_s]]
      end
      serve(app) do |server|
        connect(server) do |ssl|
          ssl.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: " \
            "30000000\r\n\r\n#{"x" * 30_000_000}")
          assert_operator Integer(answer(ssl)), :<=, 16
        end
      end
    end

    def test_bytes_that_came_before_the_socket_was_taken_are_read_from_it
      app = lambda do |env|
        socket = env["rack.hijack"].call
        socket.write(socket.read(9).reverse)
        socket.close
        nil
      end
      serve(app) do |server|
        connect(server) do |ssl|
          ssl.write("GET / HTTP/1.1\r\nhost: a\r\n\r\nearly")
          ssl.write("late")
          assert_equal "etalylrae", ssl.read
        end
      end
    end

    def test_a_streaming_body
      app = lambda do |_env|
        [200, {"content-type" => "text/plain"}, lambda { |stream|
          10.times { |i| stream.write("piece #{i}\n") }
          stream.close
        }]
      end
      serve(app) { |server| assert_equal 10, https(server).get("/").body.lines.size }
    end

    def test_versions
      serve do |server|
        assert_equal "TLSv1.3", connect(server, &:ssl_version)
        assert_equal "TLSv1.2", connect(server, max_version: :TLS1_2, &:ssl_version)
        assert_raises(OpenSSL::SSL::SSLError) do
          connect(server, min_version: :TLS1_1, max_version: :TLS1_1,
            ciphers: "DEFAULT:@SECLEVEL=0")
        end
      end
      serve(tls_min: "1.3") do |server|
        assert_raises(OpenSSL::SSL::SSLError) { connect(server, max_version: :TLS1_2) }
      end
    end

    def test_ciphers
      serve(tls_ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256") do |server|
        assert_equal "ECDHE-ECDSA-AES128-GCM-SHA256",
          connect(server, max_version: :TLS1_2) { |ssl| ssl.cipher.first }
      end
      assert_refused(/TLS: /) { serve(tls_ciphers: "NONSENSE") }
    end

    def test_alpn
      serve do |server|
        assert_equal "h2", connect(server, alpn_protocols: %w[http/1.1 h2], &:alpn_protocol)
        assert_equal "http/1.1", connect(server, alpn_protocols: %w[http/1.1], &:alpn_protocol)
        assert_nil connect(server, &:alpn_protocol)
        assert_raises(OpenSSL::SSL::SSLError) { connect(server, alpn_protocols: %w[spdy/1]) }
      end
      serve(http2: false) do |server|
        assert_equal "http/1.1", connect(server, alpn_protocols: %w[h2 http/1.1], &:alpn_protocol)
      end
    end

    def test_a_certificate_for_each_name
      pairs = [@pair, @certificates.server("b.test"), @certificates.server("*.c.test")]
      serve(pairs: pairs) do |server|
        {nil => "localhost", "a.test" => "localhost", "b.test" => "b.test", "B.TEST" => "b.test",
         "x.c.test" => "*.c.test", "x.y.c.test" => "localhost",
         "c.test" => "localhost", "else.test" => "localhost"}.each do |name, wanted|
          names = connect(server, name: name) do |ssl|
            ssl.peer_cert.extensions.find { |each| each.oid == "subjectAltName" }.value
          end
          assert_match(/\ADNS:#{Regexp.escape(wanted)}(,|\z)/, names, name)
        end
      end
    end

    def test_a_renewed_certificate_is_used_without_a_restart
      serve do |server|
        before = connect(server) { |ssl| ssl.peer_cert.serial }
        kept = connect(server)
        @certificates.server("localhost", "a.test")
        after = wait_until do
          connect(server) { |ssl| ssl.peer_cert.serial }
            .then { |serial| serial unless serial == before }
        end
        assert_operator after, :>, before
        kept.write("GET /old HTTP/1.1\r\nhost: a\r\n\r\n")
        assert_equal "https on /old 0", answer(kept)
        kept.close
      end
    end

    def test_one_that_makes_no_sense_is_not
      errors = StringIO.new
      serve(logger: Logger.new(errors)) do |server|
        before = connect(server) { |ssl| ssl.peer_cert.serial }
        File.write(@pair.first, "not yet whole")
        wait_until do
          connect(server) { |ssl| assert_equal before, ssl.peer_cert.serial } &&
            errors.string.include?("goes on with the old certificates")
        end
        assert_match(
          /goes on with the old certificates: .*localhost\.pem has no TLS certificate in PEM/,
          errors.string
        )
        @certificates.server("localhost", "a.test")
        wait_until { connect(server) { |ssl| ssl.peer_cert.serial > before } }
      end
    end

    def test_certificates_of_clients
      good = @certificates.client("alice")
      other = TestSupport::Certificates.new(File.join(@dir, "other").tap { |dir| Dir.mkdir(dir) })
        .client("mallory")
      serve(tls_ca: @certificates.ca, tls_verify: :required) do |server|
        assert_equal "https on / 0", request(server, "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
          client: good)
        # In TLS 1.3 the server's refusal comes after the client's handshake.
        [nil, other].each do |pair|
          assert_raises(OpenSSL::SSL::SSLError, SystemCallError, EOFError) do
            request(server, "GET / HTTP/1.1\r\nhost: a\r\n\r\n", client: pair)
          end
        end
      end
      serve(tls_ca: @certificates.ca, tls_verify: :optional) do |server|
        [good, nil].each do |pair|
          assert_equal "https on / 0", request(server, "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
            client: pair)
        end
      end
    end

    def test_the_application_sees_who_its_client_is
      app = ->(env) { [200, {}, [env["raffia.peer_cert"]&.subject.to_s]] }
      serve(app, tls_ca: @certificates.ca, tls_verify: :optional) do |server|
        {@certificates.client("alice") => "/CN=alice", @certificates.client("bob") => "/CN=bob",
         nil => ""}.each do |pair, subject|
          assert_equal subject, request(server, "GET / HTTP/1.1\r\nhost: a\r\n\r\n", client: pair)
        end
      end
    end

    %i[TLS1_2 TLS1_3].each do |version|
      define_method(:"test_sessions_are_resumed_with_#{version}") do
        serve do |server|
          session = nil
          connect(server, max_version: version,
            session_cache_mode: OpenSSL::SSL::SSLContext::SESSION_CACHE_CLIENT,
            session_new_cb: ->((_, fresh)) { session = fresh }) do |ssl|
            ssl.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
            answer(ssl)
            refute_predicate ssl, :session_reused?
          end
          assert connect(server, max_version: version, session: session, &:session_reused?)
        end
      end
    end

    def test_a_slow_handshake_costs_a_fiber_and_not_for_ever
      serve(tls_handshake_timeout: 2) do |server|
        silent = TCPSocket.new("127.0.0.1", server.port)
        half = TCPSocket.new("127.0.0.1", server.port)
        half.write("\x16\x03\x01")
        assert_equal "https on / 0", request(server, "GET / HTTP/1.1\r\nhost: a\r\n\r\n"),
          "others are served meanwhile"
        [silent, half].each { |socket| assert_empty socket.read.to_s }
      ensure
        [silent, half].each { |socket| socket&.close }
      end
    end

    def test_plain_http_gets_a_400
      serve do |server|
        response = Net::HTTP.get_response(URI("http://127.0.0.1:#{server.port}/"))
        assert_equal ["400", "This port speaks HTTPS: use a URL that begins with https://\n"],
          [response.code, response.body]
      end
    end

    def test_neither_http_nor_tls
      serve do |server|
        ["\0" * 100, "SSH-2.0-x\r\n", Random.new(1).bytes(1000)].each do |noise|
          socket = TCPSocket.new("127.0.0.1", server.port)
          socket.write(noise)
          socket.close_write
          refute_match(/HTTP/, read_to_the_end(socket))
        ensure
          socket&.close
        end
        assert_equal "https on / 0", request(server, "GET / HTTP/1.1\r\nhost: a\r\n\r\n")
      end
    end

    def test_clients_that_leave_in_the_middle
      serve do |server|
        socket = TCPSocket.new("127.0.0.1", server.port)
        socket.close
        [true, false].each do |politely|
          ssl = connect(server)
          ssl.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf")
          politely ? ssl.close : ssl.io.close
        end
        assert_equal "https on / 0", request(server, "GET / HTTP/1.1\r\nhost: a\r\n\r\n")
      end
    end

    # Without close_notify a client takes the end for a connection that was cut.
    def test_connections_that_end_with_the_server_end_as_tls_wants_it
      server = Server.start(ECHO, bind: "ssl://127.0.0.1:0", tls_cert: @pair.first,
        tls_key: @pair.last)
      idle, rude = Array.new(2) { connect(server) }
      rude.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1x\r\n\r\nhalf")
      assert_match(/400 Bad Request/, rude.read)
      idle.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
      assert_equal "https on / 0", answer(idle)
      ending = Thread.new { server.stop }
      assert_empty idle.read
    ensure
      [idle, rude].compact.each { |ssl| ssl.io.close }
      ending&.join
    end

    def test_no_renegotiation
      need_program = system("openssl", "version", out: File::NULL)
      skip "openssl is not installed" unless need_program
      serve do |server|
        out, = Open3.capture2e("openssl", "s_client", "-connect", "127.0.0.1:#{server.port}",
          "-tls1_2", stdin_data: "R\n")
        assert_match(/RENEGOTIATING\n.*no renegotiation/m, out)
      end
    end

    def test_files_that_will_not_do
      key = @certificates.server("other.test").last
      File.write(text = File.join(@dir, "text"), "no PEM")
      encrypted = File.join(@dir, "encrypted")
      File.write(encrypted, OpenSSL::PKey::EC.generate("prime256v1")
        .private_to_pem(OpenSSL::Cipher.new("aes-128-cbc"), "secret"))
      {
        [["/nowhere.pem",
          @pair.last]] => /\Athe TLS certificate \/nowhere\.pem cannot be read: No such file/,
        [[text, @pair.last]] => /text has no TLS certificate in PEM that can be read/,
        [[@pair.first, text]] => /text has no TLS key in PEM that can be read/,
        [[@pair.first, encrypted]] => /encrypted has no TLS key in PEM that can be read/,
        [[@pair.first, key]] =>
          /\Athe key .*other\.test\.key does not belong to the certificate .*localhost\.pem/
      }.each { |pairs, message| assert_refused(message) { serve(pairs: pairs) } }
      assert_refused(
        /has no certificate: name tls_cert and tls_key, or for development tls self_signed/
      ) { serve(pairs: []) }
      assert_refused(/to verify clients their CAs must be known: name tls_ca/) do
        serve(tls_verify: :required)
      end
      assert_refused(/tls_ca .* cannot be read/) do
        serve(tls_verify: :required, tls_ca: "/nowhere.pem")
      end
    end

    def test_certificates_in_the_address
      bind =
        "ssl://127.0.0.1:0?#{URI.encode_www_form(cert: @pair.first, key: @pair.last, min: "1.3")}"
      Server.start(ECHO, bind: bind) do |server|
        assert_equal "https on / 0", request(server, "GET / HTTP/1.1\r\nhost: a\r\n\r\n")
      end
    end

    def test_a_unix_socket_with_tls
      Server.start(ECHO,
        bind: "unix://#{@dir}/a.sock?#{URI.encode_www_form(cert: @pair.first, key: @pair.last)}") do
        ssl = OpenSSL::SSL::SSLSocket.new(UNIXSocket.new("#{@dir}/a.sock"))
        ssl.sync_close = true
        ssl.connect
        ssl.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        assert_equal "https on / 0", answer(ssl)
        ssl.close
      end
    end

    private

    def serve(app = ECHO, pairs: [@pair], **options, &)
      Server.start(app, bind: "ssl://127.0.0.1:0", tls_cert: pairs.map(&:first),
        tls_key: pairs.map(&:last), **options, &)
    end

    # @return [Object] the block's value; without a block the socket
    def connect(server, name: nil, session: nil, client: nil, **settings)
      context = OpenSSL::SSL::SSLContext.new
      settings.each { |setting, value| context.public_send(:"#{setting}=", value) }
      if client
        context.add_certificate(OpenSSL::X509::Certificate.new(File.read(client.first)),
          OpenSSL::PKey.read(File.read(client.last)))
      end
      socket = TCPSocket.new("127.0.0.1", server.port)
      ssl = OpenSSL::SSL::SSLSocket.new(socket, context)
      ssl.hostname = name if name
      ssl.session = session if session
      ssl.connect
      return ssl unless block_given?

      yield ssl
    ensure
      socket&.close if block_given? || $!
    end

    # @return [String] the body
    def request(server, text, **options)
      connect(server, **options) do |ssl|
        ssl.write(text)
        answer(ssl)
      end
    end

    def answer(ssl)
      head = ssl.gets("\r\n\r\n") or raise EOFError, "no answer"
      ssl.read(head[/content-length: (\d+)/, 1].to_i)
    end

    def https(server)
      Net::HTTP.new("127.0.0.1", server.port).tap do |http|
        http.use_ssl = true
        http.verify_mode = OpenSSL::SSL::VERIFY_NONE
      end
    end

    def read_to_the_end(socket)
      socket.read
    rescue Errno::ECONNRESET
      ""
    end
  end
end
