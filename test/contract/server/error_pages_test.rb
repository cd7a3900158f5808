# frozen_string_literal: true

require "json"
require_relative "server_contract"

# Pages for errors: details in development, files in production.
module ServerErrorPagesTest
  # Raises with a cause, in this file.
  FAILING = ->(env) do
    begin
      Integer("<b>seven</b>")
    rescue ArgumentError
      raise KeyError, "no such <script>alert(1)</script> for #{env["QUERY_STRING"].size}"
    end
  end

  HTML = {accept: "text/html,*/*;q=0.8", host: "localhost:80"}.freeze

  def failing(app = FAILING, lint: false, **options, &)
    serve(app, lint: lint, environment: "development", **options, &)
  end

  # Unlike Client#get it sends one Host.
  def ask(server, path = "/", method: "GET", **fields)
    lines = {host: "localhost", **fields}.map { |name, value| "#{name}: #{value}\r\n" }
    server.connect do |client|
      client.say("#{method} #{path} HTTP/1.1\r\n#{lines.join}\r\n").answer(head: method == "HEAD")
    end
  end

  def test_a_page_for_browsers
    failing do |server|
      answer = ask(server, "/a?q=1", **HTML)
      assert_equal [500, "text/html; charset=utf-8", "no-store"],
        [answer.status, answer["content-type"], answer["cache-control"]]
      page = answer.body
      assert_includes page, "<h1>KeyError</h1>"
      assert_includes page, "no such &lt;script&gt;alert(1)&lt;/script&gt; for 3"
      assert_includes page, "Integer(&quot;&lt;b&gt;seven&lt;/b&gt;&quot;)"
      assert_match(/caused by.*ArgumentError/, page)
      assert_match(/class=current><b>\d+<\/b> *raise KeyError/, page)
      refute_match(/<script|<b>seven/, page)
      assert_match(/default-src 'none'/, answer["content-security-policy"])
      assert_match(/\A\h{32}\z/, answer["x-request-id"])
      assert_includes log, answer["x-request-id"]
    end
  end

  def test_json_and_text
    failing do |server|
      answer = ask(server, "/a", accept: "application/json")
      assert_equal "application/json", answer["content-type"]
      error = JSON.parse(answer.body)["error"]
      assert_equal ["KeyError", "ArgumentError"], [error["class"], error["causes"][0]["class"]]
      assert_match(/error_pages_test\.rb:\d+/, error["place"])
      assert_includes error["source"].values.join, "raise KeyError"
      answer = ask(server, "/a", accept: "*/*")
      assert_equal "text/plain; charset=utf-8", answer["content-type"]
      assert_match(/\AKeyError: no such.*^>.*raise KeyError.*^Caused by\nArgumentError/m,
        answer.body)
      assert_equal "", ask(server, "/a", method: "HEAD", **HTML).body
    end
  end

  def test_secrets_are_hidden
    failing do |server|
      answer = ask(server, "/a?name=ada&password=p4ss&api_key=k3y", cookie: "s=c00kie",
        authorization: "Bearer t0ken", "x-csrf-token": "cs4f", "x-shown": "this",
        referer: "http://localhost/?token=r3f", **HTML)
      assert_includes answer.body, "name=ada&amp;password=[hidden]&amp;api_key=[hidden]"
      assert_includes answer.body, "this"
      %w[p4ss k3y c00kie t0ken cs4f r3f].each { |secret| refute_includes answer.body, secret }
    end
  end

  # Settings, and fields of a request, that must not get details.
  CLOSED = [
    [{environment: "production"}, {}], [{environment: "staging"}, {}], [{error_details: false}, {}],
    [{}, {"x-forwarded-for": "127.0.0.1"}], [{}, {forwarded: "for=127.0.0.1"}],
    [{}, {host: "evil.example"}]
  ].freeze

  def test_others_see_nothing
    CLOSED.each do |settings, fields|
      failing(**settings) do |server|
        answer = ask(server, "/", **HTML, **fields)
        assert_equal [500, "Internal Server Error\n"], [answer.status, answer.body],
          "#{settings} #{fields}"
      end
    end
    failing { |server| assert_equal "Internal Server Error\n", ask(server).body }
  end

  def test_a_unix_socket_has_no_loopback_peer
    Dir.mktmpdir do |folder|
      failing(bind: "unix://#{folder}/socket") do |server|
        assert_equal "Internal Server Error\n", ask(server, **HTML).body
      end
    end
  end

  def test_an_error_whose_message_raises
    broken = Class.new(StandardError) { def message = raise("never") }
    failing(->(_) { raise broken }) do |server|
      assert_includes ask(server, **HTML).body, "its message cannot be had: RuntimeError"
    end
  end

  def test_a_begun_response_is_not_continued
    app = ->(_) { [200, {}, Enumerator.new { |pieces| pieces << "begun" and raise "broken" }] }
    failing(app) do |server|
      server.connect do |client|
        client.say("GET / HTTP/1.1\r\nhost: localhost\r\naccept: text/html\r\n\r\n")
        refute_includes client.rest, "<h1>"
      end
    end
  end

  def test_files_for_statuses_of_the_server
    Dir.mktmpdir do |folder|
      File.write("#{folder}/500.html", "<p>sorry")
      File.write("#{folder}/503.json", "{}")
      app = ->(env) { (env["PATH_INFO"] == "/own") ? [500, {}, ["own"]] : raise("oh") }
      pages = ["500=#{folder}/500.html", "503=#{folder}/503.json"]
      failing(app, environment: "production", error_page: pages) do |server|
        File.unlink("#{folder}/500.html")
        answer = ask(server, "/", **HTML)
        assert_equal [500, "<p>sorry", "text/html; charset=utf-8", "no-store"],
          [answer.status, answer.body,
            *%w[content-type cache-control].map { |name| answer[name] }]
        assert_match(/\A\h{32}\z/, answer["x-request-id"])
        assert_equal "own", ask(server, "/own").body
      end
    end
  end

  def test_a_page_keeps_retry_after
    Dir.mktmpdir do |folder|
      File.write("#{folder}/503.html", "<p>soon")
      app = ->(_) { sleep }
      failing(app, error_page: ["503=#{folder}/503.html"], max_in_flight: 1,
        max_queue_time: 0.05) do |server|
        server.connect.say("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
        eventually { server.in_flight == 1 }
        answer = ask(server, "/", **HTML)
        assert_equal [503, "<p>soon"], [answer.status, answer.body]
        assert_match(/\A\d+\z/, answer["retry-after"])
        server.worker.stop(:now)
      end
    end
  end

  ServerContract.run(self)
  ServerContract.run_on_threads(self)
end
