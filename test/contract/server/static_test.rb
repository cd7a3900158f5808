# frozen_string_literal: true

require "tmpdir"
require "fileutils"
require_relative "server_contract"
require "raffia/server/static"

# Files of a folder.
module ServerStaticTest
  def setup
    super
    @folder = Dir.mktmpdir
    put "hello.txt", "0123456789"
    put "page/index.html", "<p>page</p>"
    put "app.js", "plain"
    put "app.js.br", "brotli"
    put "app.js.gz", "gzip"
    put ".secret", "secret"
    put ".well-known/x.json", "{}"
    put "odd %.bin", "odd"
  end

  def teardown
    FileUtils.rm_rf(@folder)
    super
  end

  def put(name, text)
    path = File.join(@folder, name)
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
  end

  def files(app = nil, lint: false, **options, &)
    serve(Raffia::Server::Static.new(app, root: @folder, **options), lint: lint, &)
  end

  def test_a_file_has_its_headers
    [false, true].each do |lint|
      files(lint: lint) do |server|
        answer = server.get("/hello.txt")
        assert_equal [200, "0123456789", "10", "text/plain; charset=utf-8", "bytes"],
          [answer.status, answer.body,
            *%w[content-length content-type accept-ranges].map { |name| answer[name] }]
        assert_equal File.mtime(File.join(@folder, "hello.txt")).httpdate, answer["last-modified"]
      end
    end
  end

  def test_large_files_arrive_whole
    put "large", "x" * 10_000_000
    files do |server|
      slow = server.connect.say("GET /large HTTP/1.1\r\nhost: x\r\n\r\n")
      assert_equal 10_000_000, server.get("/large").body.bytesize
      assert_equal 10_000_000, slow.answer.body.bytesize
    end
  end

  def test_a_head_request_reads_nothing
    files do |server|
      assert_equal ["10", ""], server.get("/hello.txt", method: "HEAD")
        .then { |answer| [answer["content-length"], answer.body] }
    end
  end

  def test_parts
    {
      "bytes=0-3" => [206, "0123", "bytes 0-3/10"], "bytes=4-" => [206, "456789", "bytes 4-9/10"],
      "bytes=-3" => [206, "789", "bytes 7-9/10"],
      "bytes=8-100" => [206, "89", "bytes 8-9/10"],
      "bytes=-100" => [206, "0123456789", "bytes 0-9/10"],
      "bytes=10-" => [416, "Range Not Satisfiable\n", "bytes */10"],
      "bytes=-0" => [416, "Range Not Satisfiable\n", "bytes */10"],
      "bytes=5-2" => [200, "0123456789", nil], "bytes=0-1,3-4" => [200, "0123456789", nil],
      "lines=1-2" => [200, "0123456789", nil], "bytes=x" => [200, "0123456789", nil]
    }.each do |range, expected|
      [false, true].each do |lint|
        files(lint: lint) do |server|
          answer = server.get("/hello.txt", "range" => range)
          assert_equal expected, [answer.status, answer.body, answer["content-range"]], range
        end
      end
    end
  end

  def test_a_client_that_has_the_file_gets_304
    files do |server|
      first = server.get("/hello.txt")
      [{"if-none-match" => first["etag"]}, {"if-none-match" => "\"x\", W/#{first["etag"]}"},
        {"if-none-match" => "*"}, {"if-modified-since" => first["last-modified"]},
        {"if-modified-since" => (Time.httpdate(first["last-modified"]) +
          60).httpdate}].each do |condition|
        assert_equal [304, ""], server.get("/hello.txt", **condition)
          .then { |answer| [answer.status, answer.body] }, condition.inspect
      end
      [{"if-none-match" => "\"x\""}, {"if-modified-since" => "nonsense"},
        {"if-modified-since" => Time.at(0).httpdate},
        {"if-none-match" => "\"x\"",
         "if-modified-since" => first["last-modified"]}].each do |condition|
        assert_equal 200, server.get("/hello.txt", **condition).status, condition.inspect
      end
    end
  end

  def test_parts_of_another_state_of_the_file_are_not_mixed
    files do |server|
      etag = server.get("/hello.txt")["etag"]
      assert_equal 206, server.get("/hello.txt", "range" => "bytes=0-1", "if-range" => etag).status
      assert_equal 200, server.get("/hello.txt", "range" => "bytes=0-1", "if-range" => "\"x\"")
        .status
      assert_equal 200,
        server.get("/hello.txt", "range" => "bytes=0-1", "if-range" => Time.at(0).httpdate).status
    end
  end

  def test_a_compressed_file_is_sent_to_clients_that_accept_it
    files do |server|
      found = ["br, gzip", "gzip", "gzip;q=0", "identity", "br;q=0.0, gzip;q=0.5"].map do |accepted|
        server.get("/app.js", "accept-encoding" => accepted)
      end
      assert_equal %w[brotli gzip plain plain gzip], found.map(&:body)
      assert_equal ["br", "gzip", nil, nil, "gzip"],
        found.map { |answer| answer["content-encoding"] }
      assert_equal ["text/javascript; charset=utf-8"],
        found.map { |answer| answer["content-type"] }.uniq
      assert_equal 3, found.map { |answer| answer["etag"] }.uniq.size
      assert_equal ["accept-encoding"], found.map { |answer| answer["vary"] }.uniq
    end
    files(precompressed: false) do |server|
      assert_equal "plain", server.get("/app.js", "accept-encoding" => "br").body
    end
  end

  def test_a_folder_is_its_index
    files do |server|
      assert_equal "<p>page</p>", server.get("/page/").body
      answer = server.get("/page?a=b")
      assert_equal [301, "/page/?a=b"], [answer.status, answer["location"]]
      assert_equal 404, server.get("/").status
    end
    files(index: nil) { |server| assert_equal 404, server.get("/page/").status }
  end

  def test_nothing_outside_is_found
    File.symlink("/etc/passwd", File.join(@folder, "link"))
    File.symlink("/etc", File.join(@folder, "etc"))
    File.symlink("hello.txt", File.join(@folder, "inside"))
    files do |server|
      paths = %w[/../etc/passwd /%2e%2e/etc/passwd /page/../../etc/passwd /..%2fetc%2fpasswd /link
        /etc/passwd /.secret /page/../.secret /%2esecret
        //etc/passwd /hello.txt/ /page//index.html /hello.txt%00 /..\\hello.txt /%zz /%ff /nothing]
      paths.each { |path| assert_equal 404, server.get(path).status, path }
      assert_equal "0123456789", server.get("/inside").body
      assert_equal "{}", server.get("/.well-known/x.json").body
      assert_equal "odd", server.get("/odd%20%25.bin").body
    end
  end

  def test_a_pipe_is_no_file
    File.mkfifo(File.join(@folder, "pipe"))
    files { |server| assert_equal 404, server.get("/pipe").status }
  end

  def test_missing_files_are_passed_to_the_app
    app = ->(env) { [200, {"content-type" => "text/plain"}, ["app #{env["REQUEST_METHOD"]}"]] }
    files(app, mount: "/files/", lint: true) do |server|
      assert_equal "0123456789", server.get("/files/hello.txt").body
      assert_equal ["app GET"] *
        4, %w[/hello.txt /files/x /files /filesx].map { |path| server.get(path).body }
      assert_equal "app POST", server.post("/files/hello.txt", "x").body
    end
    files do |server|
      assert_equal [405, "GET, HEAD"], server.post("/hello.txt", "x")
        .then { |answer| [answer.status, answer["allow"]] }
    end
  end

  def test_headers_of_ones_own
    files(headers: {"Cache-Control" => "public"}) do |server|
      assert_equal "public", server.get("/hello.txt")["cache-control"]
    end
  end

  def test_there_must_be_a_folder
    assert_raises(Raffia::ConfigError) { Raffia::Server::Static.new(root: "/nowhere") }
    assert_raises(Raffia::ConfigError) { Raffia::Server::Static.new(root: __FILE__) }
  end

  ServerContract.run(self)
  ServerContract.run_on_threads(self)
  ServerContract.run_in_ractors(self)
end
