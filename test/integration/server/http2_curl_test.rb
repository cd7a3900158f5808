# frozen_string_literal: true

require_relative "server_case"
require "digest"
require "open3"
require "support/certificates"
require "tmpdir"

module Raffia
  # curl speaks HTTP/2.
  class ServerHTTP2CurlTest < ServerCase
    H2C = "--http2-prior-knowledge"
    # Says what came.
    ECHO = lambda do |env|
      body = env["rack.input"]&.read.to_s
      env["rack.early_hints"].call("link" => "</style.css>") if env["PATH_INFO"] == "/hints"
      text = "#{env["REQUEST_METHOD"]} #{env["PATH_INFO"]} #{env["SERVER_PROTOCOL"]} " \
        "#{body.bytesize} #{Digest::SHA256.hexdigest(body)}\n"
      [200, {"content-type" => "text/plain"}, [text]]
    end
    NOTHING = Digest::SHA256.hexdigest("")

    def setup
      need_program "curl"
      @dir = Dir.mktmpdir
      @big = File.join(@dir, "big")
      File.binwrite(@big, Random.new(1).bytes(5_000_000))
      @sum = Digest::SHA256.file(@big).hexdigest
    end

    def teardown = FileUtils.rm_rf(@dir || [])

    def test_prior_knowledge
      serve(ECHO) do |server|
        assert_equal "GET /a HTTP/2 0 #{NOTHING}\n", curl(H2C, "#{server.url}/a")
        assert_equal "DELETE /x HTTP/2 0 #{NOTHING}\n", curl(H2C, "-X", "DELETE", "#{server.url}/x")
        assert_match(/\AHTTP\/2 200 \r\n/, curl(H2C, "-I", server.url))
      end
    end

    # RFC 9113 has no Upgrade to h2c any more, so it is ignored.
    def test_an_upgrade_in_cleartext_is_ignored
      serve(ECHO) do |server|
        assert_equal "GET / HTTP/1.1 0 #{NOTHING}\n", curl("--http2", server.url)
      end
    end

    def test_alpn_chooses_by_the_client
      cert, key = TestSupport::Certificates.new(@dir).server("localhost")
      serve(ECHO, bind: "ssl://127.0.0.1:0", tls_cert: cert, tls_key: key) do |server|
        assert_equal "GET / HTTP/2 0 #{NOTHING}\n", curl("-k", server.url)
        assert_equal "GET / HTTP/1.1 0 #{NOTHING}\n", curl("-k", "--http1.1", server.url)
        assert_equal "PUT /f HTTP/2 5000000 #{@sum}\n", curl("-k", "-T", @big, "#{server.url}/f")
      end
    end

    def test_without_the_setting_there_is_http_1_alone
      cert, key = TestSupport::Certificates.new(@dir).server("localhost")
      serve(ECHO, bind: "ssl://127.0.0.1:0", tls_cert: cert, tls_key: key, http2: false) do |server|
        assert_equal "GET / HTTP/1.1 0 #{NOTHING}\n", curl("-k", server.url)
      end
    end

    def test_uploads_of_known_and_unknown_length
      serve(ECHO) do |server|
        assert_equal "PUT /f HTTP/2 5000000 #{@sum}\n", curl(H2C, "-T", @big, "#{server.url}/f")
        assert_equal "PUT / HTTP/2 5000000 #{@sum}\n",
          curl(H2C, "-T", "-", server.url, stdin: File.binread(@big))
        assert_equal "POST / HTTP/2 5000000 #{@sum}\n",
          curl(H2C, "-H", "Expect: 100-continue", "--data-binary", "@#{@big}", server.url)
      end
    end

    # It fits into the window: curl 7.88 takes a reset after the answer for an error.
    def test_a_body_that_the_app_ignores
      small = File.join(@dir, "small").tap { |path| File.write(path, "x" * 30_000) }
      serve(HELLO) do |server|
        assert_equal "hello", curl(H2C, "--data-binary", "@#{small}", server.url)
      end
    end

    # The head says its length, or it shows while it comes. The next request has the connection.
    def test_a_body_over_the_limit
      cert, key = TestSupport::Certificates.new(@dir).server("localhost")
      serve(ECHO, bind: "ssl://127.0.0.1:0", tls_cert: cert, tls_key: key,
        max_body: 100_000) do |server|
        format = ["-w", "%{http_code} %{num_connects}\n"]
        [["-T", @big], ["-T", @big, "-H", "Expect: 100-continue"],
          ["-X", "POST", "-H", "Transfer-Encoding: chunked", "-T", @big]].each do |upload|
          lines = curl("-k", *format, *upload, "#{server.url}/f", "--next", "-sS", "-k", *format,
            server.url).lines(chomp: true)
          assert_equal ["body too large", "413 1", "GET / HTTP/2 0 #{NOTHING}", "200 0"], lines
        end
      end
    end

    # curl 7.88 reads no trailers after the last byte of a known length.
    def test_trailers
      app = lambda do |env|
        env["raffia.response_trailers"]["x-sum"] = "5"
        [200, {}, ->(stream) { stream.write("hello") && stream.close }]
      end
      serve(app) do |server|
        assert_match(/x-sum: 5\r\n/, curl(H2C, "-D", "-", "-H", "TE: trailers", server.url))
      end
    end

    def test_early_hints
      serve(ECHO) do |server|
        assert_match(/\AHTTP\/2 103 \r\nlink: <\/style\.css>\r\n\r\nHTTP\/2 200 /,
          curl(H2C, "-D", "-", "#{server.url}/hints"))
      end
    end

    # With prior knowledge, curl 7.88 fails to use a connection again, with any server.
    def test_many_requests_on_one_connection
      cert, key = TestSupport::Certificates.new(@dir).server("localhost")
      serve(ECHO, bind: "ssl://127.0.0.1:0", tls_cert: cert, tls_key: key) do |server|
        lines = curl("-k", "-w", "%{num_connects}\n", "#{server.url}/[1-200]").lines(chomp: true)
        assert_equal 200, lines.count { |line| line.match?(/\AGET \/\d+ HTTP\/2 0 /) }
        assert_equal 1, lines.grep(/\A\d\z/).sum(&:to_i)
      end
    end

    def test_a_large_file_and_a_stream
      file = @big
      app = lambda do |env|
        next [200, {}, File.open(file)] if env["PATH_INFO"] == "/file"
        copy = lambda do |stream|
          File.open(file) { |from| IO.copy_stream(from, stream) }
          stream.close
        end
        [200, {}, copy]
      end
      serve(app) do |server|
        %w[/file /stream].each do |path|
          assert_equal @sum, Digest::SHA256.hexdigest(curl(H2C, "#{server.url}#{path}")), path
        end
      end
    end

    private

    def curl(*arguments, stdin: "")
      output, errors, status = Open3.capture3("curl", "-sS", "--max-time", "60", *arguments,
        stdin_data: stdin, binmode: true)
      assert_predicate status, :success?, "curl #{arguments.join(" ")}: #{errors}"
      output
    end
  end
end
