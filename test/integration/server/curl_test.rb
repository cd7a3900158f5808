# frozen_string_literal: true

require_relative "server_case"
require "digest"
require "open3"
require "tmpdir"

module Raffia
  # curl, as people use it.
  class ServerCurlTest < ServerCase
    # Says what came.
    ECHO = lambda do |env|
      body = env["rack.input"].read
      text = "#{env["REQUEST_METHOD"]} #{env["PATH_INFO"]} #{env["SERVER_PROTOCOL"]} " \
        "#{body.bytesize} #{Digest::SHA256.hexdigest(body)}\n"
      [200, {"content-type" => "text/plain", "content-length" => text.bytesize.to_s}, [text]]
    end

    def setup
      need_program "curl"
      @dir = Dir.mktmpdir
      @big = File.join(@dir, "big")
      File.binwrite(@big, Random.new(1).bytes(5_000_000))
      @sum = Digest::SHA256.file(@big).hexdigest
    end

    def teardown = FileUtils.rm_rf(@dir || [])

    def test_versions_and_methods
      serve(ECHO) do |server|
        nothing = Digest::SHA256.hexdigest("")
        assert_equal "GET / HTTP/1.1 0 #{nothing}\n", curl(server.url)
        assert_equal "GET / HTTP/1.0 0 #{nothing}\n", curl("--http1.0", server.url)
        assert_equal "DELETE /x HTTP/1.1 0 #{nothing}\n", curl("-X", "DELETE", "#{server.url}/x")
        assert_match(/\AHTTP\/1.1 200 OK\r\n.*content-length: \d+\r\n\r\n\z/m,
          curl("-I", server.url))
        assert_equal "PUT /f HTTP/1.1 5000000 #{@sum}\n", curl("-T", @big, "#{server.url}/f")
      end
    end

    # It sends `Expect: 100-continue` with long bodies by itself, and waits a second for the answer;
    # so the answer is looked for.
    def test_continue_comes_when_the_app_reads
      serve(ECHO) do |server|
        errors, output = curl("-v", "-H", "Expect: 100-continue", "--expect100-timeout", "60", "-T",
          @big, server.url, err: true)
        assert_includes errors, "< HTTP/1.1 100 Continue"
        assert_includes output, @sum
      end
      serve(->(_) { [403, {"content-length" => "3"}, ["no\n"]] }) do |server|
        errors, output = curl("-v", "-H", "Expect: 100-continue", "--expect100-timeout", "60", "-T",
          @big, server.url, err: true)
        refute_includes errors, "100 Continue"
        assert_equal "no\n", output
      end
    end

    def test_chunks_of_unknown_length
      serve(ECHO) do |server|
        assert_equal "PUT / HTTP/1.1 5000000 #{@sum}\n",
          curl("-T", "-", server.url, stdin: File.binread(@big))
        assert_equal "POST / HTTP/1.1 5000000 #{@sum}\n",
          curl("-H", "Transfer-Encoding: chunked", "--data-binary", "@#{@big}", server.url)
      end
    end

    def test_connections_are_kept_with_an_unread_body
      serve(HELLO) do |server|
        counts = curl("-w", "%{num_connects}", *["--data-binary", "small", server.url] * 1,
          "--next", "-w", "%{num_connects}", server.url)
        assert_equal "hello1hello0", counts
      end
    end

    def test_a_body_that_is_too_long_is_refused_and_the_answer_arrives
      serve(ECHO, max_body: 100_000) do |server|
        assert_equal "413", curl("-s", "-o", File::NULL, "-w", "%{http_code}", "-H", "Expect:",
          "-T", @big, server.url)
        assert_equal "413", curl("-s", "-o", File::NULL, "-w", "%{http_code}", "-H", "Expect:",
          "-T", "-", server.url, stdin: File.binread(@big))
      end
    end

    def test_ranges_of_answers_by_streams_and_files
      file = @big
      app = lambda do |env|
        body = if env["PATH_INFO"] == "/file"
          File.open(file)
        else
          ->(stream) { File.open(file) { |from| IO.copy_stream(from, stream) } && stream.close }
        end
        [200, {"content-type" => "application/octet-stream"}, body]
      end
      serve(app) do |server|
        %w[/file /stream].each do |path|
          assert_equal @sum, Digest::SHA256.hexdigest(curl("#{server.url}#{path}")), path
        end
        assert_equal @sum, Digest::SHA256.hexdigest(curl("--http1.0", "#{server.url}/stream"))
        assert_equal "5000000", curl("--limit-rate", "20M", "-o", File::NULL, "-w",
          "%{size_download}", "#{server.url}/file")
      end
    end

    private

    # @return [String] its output; with err: what it said, too
    def curl(*arguments, stdin: "", err: false)
      output, errors, status = Open3.capture3("curl", "-sS", "--max-time", "60", *arguments,
        stdin_data: stdin, binmode: true)
      assert_predicate status, :success?, "curl #{arguments.join(" ")}: #{errors}"
      err ? [errors, output] : output
    end
  end
end
