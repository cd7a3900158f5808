# frozen_string_literal: true

require "zlib"
require_relative "server_contract"

# Responses that are compressed, and those that must not be. gzip only: it needs no gem.
module ServerCompressionTest
  Raffia::Server::Compression::Codings.load([:gzip])
  TEXT = ("All work and no play makes Jack a dull boy.\n" * 100).freeze
  HTML = "text/html; charset=utf-8"

  # An app that responds with the headers and a body for the path.
  App = Data.define(:headers, :status) do
    def call(env) = [status, headers.dup, body(env["PATH_INFO"])]

    def body(path)
      case path
      when "/pieces" then TEXT.lines.each
      when "/stream"
        ->(stream) { TEXT.each_line { |line| stream.write(line) } && stream.close }
      when "/file" then File.open(__FILE__)
      when "/long" then [TEXT * 100, TEXT]
      when "/short" then ["short"]
      else [TEXT]
      end
    end
  end

  def compressed(headers = {}, status: 200, **options, &)
    app = App.new({"content-type" => HTML, **headers}.freeze, status)
    app = ::Ractor.make_shareable(app)
    serve(app, compress: :gzip, **options, &)
  end

  def gunzip(answer)
    assert_equal "gzip", answer["content-encoding"]
    Zlib.gunzip(answer.body)
  end

  def test_bodies_of_all_kinds
    compressed do |server|
      expected = {"/" => TEXT, "/pieces" => TEXT, "/stream" => TEXT, "/long" => TEXT * 101,
                  "/file" => File.read(__FILE__)}
      expected.each do |path, text|
        answer = server.get(path, "accept-encoding": "gzip")
        assert_equal text, gunzip(answer).force_encoding("UTF-8"), path
        assert_equal "accept-encoding", answer["vary"]
        plain = server.get(path)
        assert_equal text.b, plain.body.b, path
        assert_equal [nil, "accept-encoding"], [plain["content-encoding"], plain["vary"]]
      end
    end
  end

  def test_equal_bodies_have_equal_bytes
    compressed do |server|
      first, second = Array.new(2) { server.get("/", "accept-encoding": "gzip") }
      assert_equal first.body, second.body
      assert_equal first.body.bytesize.to_s, first["content-length"]
      assert_equal "\0\0\0\0", first.body.byteslice(4, 4)
    end
  end

  def test_several_requests_of_a_connection
    compressed do |server|
      client = server.connect
      answers = %w[/ /stream /short /pieces /].map do |path|
        client.get(path, "accept-encoding": "gzip")
      end
      assert_equal ["gzip", "gzip", nil, "gzip", "gzip"],
        answers.map { |answer| answer["content-encoding"] }
      assert_equal TEXT, gunzip(answers.last)
    end
  end

  def test_tags_become_weak_and_are_known_again
    compressed({"etag" => "\"v1\"", "accept-ranges" => "bytes", "vary" => "cookie"}) do |server|
      answer = server.get("/", "accept-encoding": "gzip")
      assert_equal ["W/\"v1\"", nil, "cookie, accept-encoding"],
        %w[etag accept-ranges vary].map { |name| answer[name] }
      plain = server.get("/")
      assert_equal ["\"v1\"", "bytes", "cookie, accept-encoding"],
        %w[etag accept-ranges vary].map { |name| plain[name] }
      known = server.get("/", "accept-encoding": "gzip", "if-none-match": "\"v0\", W/\"v1\"")
      assert_equal [304, "W/\"v1\"", "cookie, accept-encoding", nil],
        [known.status, *%w[etag vary content-type].map { |name| known[name] }]
      assert_equal 200, server.get("/", "if-none-match": "W/\"v1\"").status
    end
  end

  # Rack 3 allows Arrays, and applications write names in any case.
  def test_fields_in_other_forms
    compressed({"ETag" => "\"a,b\"", "Vary" => %w[cookie accept]}, lint: false) do |server|
      fields = {"accept-encoding": "gzip"}
      answer = server.get("/", **fields)
      assert_equal ["W/\"a,b\"", "cookie, accept, accept-encoding"],
        %w[ETag Vary].map { |name| answer[name] || answer[name.downcase] }
      assert_equal 304, server.get("/", **fields, "if-none-match": "W/\"a,b\"").status
    end
    [{"Content-encoding" => "identity"}, {"CACHE-CONTROL" => %w[public no-transform]}]
      .each do |headers|
        compressed(headers, lint: false) do |server|
          assert_equal TEXT, server.get("/", "accept-encoding": "gzip").body, headers
        end
      end
  end

  def test_the_tag_of_a_304_is_that_of_the_body_the_client_has
    app = ::Ractor.make_shareable(Class.new do
      def self.call(_) = [304, {"etag" => "\"v1\""}, []]
    end)
    serve(app, compress: :gzip) do |server|
      coded = server.get("/", "accept-encoding": "gzip", "if-none-match": "W/\"v1\"")
      assert_equal [304, "W/\"v1\"", "accept-encoding"],
        [coded.status, coded["etag"], coded["vary"]]
      assert_equal ["\"v1\"", nil], server.get("/", "if-none-match": "\"v1\"")
        .then { |answer| [answer["etag"], answer["vary"]] }
    end
  end

  def test_head_has_the_fields_of_get
    compressed do |server|
      head = server.get("/", method: "HEAD", "accept-encoding": "gzip")
      get = server.get("/", "accept-encoding": "gzip")
      %w[content-encoding content-length vary content-type].each do |name|
        assert_equal get[name], head[name], name
      end
    end
  end

  # Fields of the response => fields of the request.
  PLAIN = {
    {"cache-control" => "public, No-Transform"} => {}, {"content-encoding" => "identity"} => {},
    {"content-type" => "image/png"} => {}, {"content-type" => "text/event-stream"} => {},
    {"content-type" => "application/grpc+proto"} => {}, {"content-range" => "bytes 0-1/2"} => {},
    {"x-none" => "1"} => {"cache-control": "no-transform"},
    {"x-none" => "2"} => {"sec-fetch-site": "cross-site", cookie: "session=1"},
    {"x-none" => "3"} => {"accept-encoding": "gzip;q=0"},
    {"x-none" => "4"} => {"accept-encoding": "gzip;q=0.5, identity"},
    {"x-none" => "5"} => {"accept-encoding": "br, zstd"}
  }.freeze

  def test_what_stays_plain
    PLAIN.each do |headers, fields|
      compressed(headers) do |server|
        answer = server.get("/", "accept-encoding": "gzip", **fields)
        assert_equal TEXT, answer.body, "#{headers} #{fields}"
        refute_equal "gzip", answer["content-encoding"]
      end
    end
  end

  def test_short_bodies_and_other_statuses_stay_as_they_are
    compressed do |server|
      short = server.get("/short", "accept-encoding": "gzip")
      assert_equal ["short", nil, nil], [short.body, short["content-encoding"], short["vary"]]
    end
    compressed({"content-range" => "bytes 0-4399/9999"}, status: 206) do |server|
      assert_equal TEXT, server.get("/", "accept-encoding": "gzip").body
    end
    compressed(status: 404) do |server|
      assert_equal TEXT, gunzip(server.get("/", "accept-encoding": "gzip"))
    end
  end

  def test_clients_that_take_no_plain_body
    compressed do |server|
      answer = server.get("/short", "accept-encoding": "gzip, identity;q=0")
      assert_equal "short", gunzip(answer)
      answer = server.get("/", "accept-encoding": "br, *;q=0")
      assert_equal [406, "Not Acceptable: this body comes as identity, gzip\n"],
        [answer.status, answer.body]
    end
  end

  def test_events_are_compressed_when_named_and_each_is_flushed
    compressed({"content-type" => "text/event-stream"},
      compress_types: %w[text/event-stream]) do |server|
      client = server.connect
      client.say("GET /stream HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\n\r\n")
      answer = client.answer
      assert_equal TEXT, gunzip(answer)
      # A sync marker ends each of the hundred pieces.
      assert_equal 100, answer.body.scan("\0\0\xff\xff".b).size
    end
  end

  def test_jitter_changes_lengths_and_no_content
    compressed(compress_jitter: 200) do |server|
      %w[/ /stream].each do |path|
        answers = Array.new(8) { server.get(path, "accept-encoding": "gzip") }
        assert_equal [TEXT], answers.map { |answer| gunzip(answer) }.uniq
        assert_operator answers.map { |answer| answer.body.bytesize }.uniq.size, :>, 1
      end
    end
  end

  ServerContract.run(self)
  ServerContract.run_on_threads(self)
  ServerContract.run_in_ractors(self)
end
