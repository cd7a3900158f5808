# frozen_string_literal: true

require_relative "server_contract"

# Bytes on the connection for each kind of response.
module ServerResponsesTest
  TEXT = {"content-type" => "text/plain"}.freeze

  def test_a_response_is_framed_by_its_length
    serve(->(_) { [200, TEXT.dup, %w[hello world]] }) do |server|
      answer = server.get
      assert_equal ["HTTP/1.1", 200, "helloworld", "10"],
        [answer.version, answer.status, answer.body, answer["content-length"]]
      assert_equal "text/plain", answer["content-type"]
      assert_equal answer["date"], Time.httpdate(answer["date"]).httpdate
      assert_nil answer["connection"]
      assert answer.raw.start_with?("HTTP/1.1 200 OK\r\n")
    end
  end

  def test_a_connection_serves_request_after_request
    serve(->(env) { [200, TEXT.dup, [env["PATH_INFO"]]] }) do |server|
      server.connect do |client|
        assert_equal(%w[/1 /2 /3], %w[/1 /2 /3].map { |path| client.get(path).body })
      end
    end
  end

  def test_connection_close_of_the_client_is_obeyed
    serve(->(_) { [200, TEXT.dup, ["x"]] }) do |server|
      server.connect do |client|
        answer = client.get("/", "connection" => "close")
        assert_equal "close", answer["connection"]
        assert client.ended?
      end
    end
  end

  def test_http_1_0_keeps_a_connection_only_where_it_asks_for_that
    serve(->(_) { [200, TEXT.dup, ["x"]] }) do |server|
      server.connect do |client|
        assert_equal "keep-alive", client.say("GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n")
          .answer["connection"]
        assert_equal "close", client.say("GET / HTTP/1.0\r\n\r\n").answer["connection"]
        assert client.ended?
      end
    end
  end

  def test_a_head_request_gets_the_head_alone
    serve(->(env) {
      [200, TEXT.dup, (env["REQUEST_METHOD"] == "HEAD") ? [] : ["body"]]
    }) do |server|
      server.connect do |client|
        assert_nil client.get("/", method: "HEAD")["content-length"]
        assert_equal "body", client.get.body
      end
    end
  end

  def test_a_head_request_gets_the_content_length
    serve(->(_) { [200, {"content-type" => "text/plain", "content-length" => "4"}, ["body"]] },
      lint: false) do |server|
      server.connect do |client|
        assert_equal "4", client.get("/", method: "HEAD")["content-length"]
        assert_equal "body", client.get.body
      end
    end
  end

  def test_responses_without_a_body_have_none_and_no_length
    serve(->(env) { [env["PATH_INFO"][1..].to_i, {}, []] }) do |server|
      server.connect do |client|
        [204, 304].each do |status|
          answer = client.get("/#{status}")
          assert_equal [status, nil, nil],
            [answer.status, answer["content-length"], answer["transfer-encoding"]]
        end
        assert_equal "0", client.get("/205")["content-length"]
      end
    end
  end

  def test_each_kind_of_status_has_its_words
    serve(->(env) { [env["PATH_INFO"][1..].to_i, {}, []] }) do |server|
      server.connect do |client|
        assert client.get("/404").raw.start_with?("HTTP/1.1 404 Not Found\r\n")
        assert client.get("/599").raw.start_with?("HTTP/1.1 599 \r\n")
      end
    end
  end

  def test_headers_may_have_several_values
    app = ->(_) { [200, {"set-cookie" => %w[a=1 b=2], "content-type" => "text/plain"}, []] }
    serve(app) { |server| assert_equal %w[a=1 b=2], server.get.headers["set-cookie"] }
  end

  def test_headers_of_rack_2_have_a_line_each
    app = ->(_) {
      [200, {"Set-Cookie" => "a=1\nb=2", "Content-Type" => "text/plain", "X-Number" => 3,
             "X-None" => nil}, []]
    }
    serve(app, lint: false) do |server|
      answer = server.get
      assert_equal %w[a=1 b=2], answer.headers["set-cookie"]
      assert_equal ["3", nil], [answer["x-number"], answer["x-none"]]
    end
  end

  def test_rack_headers_are_not_sent
    app = ->(_) {
      [200, {"rack.something" => "x", "connection" => "keep-alive", "keep-alive" => "timeout=5"},
        []]
    }
    serve(app, lint: false) do |server|
      assert_equal %w[date content-length], server.get.headers.keys
    end
  end

  def test_an_app_may_close_the_connection
    serve(->(_) { [200, {"connection" => "close"}, []] }) do |server|
      server.connect do |client|
        assert_equal ["close", true], [client.get["connection"], client.ended?]
      end
    end
  end

  def test_headers_that_would_split_the_response_are_refused
    bad = {"x" => "a\r\nevil: 1", "y" => "a\0b", "evil\r\n" => "1", "a b" => "1", "" => "1",
           "z" => ["ok", "a\rb"]}
    bad.each do |name, value|
      serve(->(_) { [200, {name => value}, ["secret"]] }, lint: false) do |server|
        answer = server.get
        assert_equal 500, answer.status, "#{name.inspect} was let through"
        refute_match(/evil|secret/, answer.raw + answer.body)
      end
      assert_match(/header/, log)
    end
  end

  def test_a_wrong_content_length_of_an_array_is_noticed_before_it_is_sent
    serve(->(_) { [200, {"content-length" => "3"}, ["four"]] }, lint: false) do |server|
      server.connect do |client|
        assert_equal 500, client.get.status
        assert_equal 500, client.get.status, "the connection does not survive"
      end
      assert_match(/content-length is 3, but its body has 4 bytes/, log)
    end
  end

  def test_a_content_length_that_is_none_is_refused
    ["-1", "1x", "", "99999999999999999999"].each do |length|
      serve(->(_) { [200, {"content-length" => length}, ["x"]] }, lint: false) do |server|
        assert_equal 500, server.get.status
      end
    end
  end

  def test_big_strings_arrive_whole
    parts = ["a" * 300_000, "b" * 10, "c" * 3_000_000, ""]
    serve(->(_) { [200, TEXT.dup, parts] }) do |server|
      server.connect do |client|
        2.times { assert_equal parts.join, client.get.body }
      end
    end
  end

  def test_pipelined_requests_are_answered_in_their_order
    serve(->(env) { [200, TEXT.dup, [env["PATH_INFO"]]] }) do |server|
      server.connect do |client|
        client.say(Array.new(200) { |index| "GET /#{index} HTTP/1.1\r\nhost: x\r\n\r\n" }.join)
        assert_equal Array.new(200) { |index| "/#{index}" }, Array.new(200) { client.answer.body }
      end
    end
  end

  def test_pipelined_answers_that_are_large_are_not_hoarded
    serve(->(_) { [200, TEXT.dup, ["x" * 5000]] }) do |server|
      server.connect do |client|
        client.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n" * 100)
        100.times { assert_equal 5000, client.answer.body.bytesize }
      end
    end
  end

  def test_a_slow_reader_gets_everything
    serve(->(_) { [200, TEXT.dup, ["x" * 5_000_000]] }) do |server|
      slow = server.connect.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      assert_equal 5_000_000, server.get.body.bytesize, "another client has to wait"
      assert_equal 5_000_000, slow.answer.body.bytesize
    end
  end

  def test_changes_of_a_string_while_it_is_sent_do_not_matter
    string = "x" * 5_000_000
    serve(->(env) {
      if env["PATH_INFO"] == "/"
        [200, TEXT.dup, [string]]
      else
        [200, TEXT.dup, [string.replace("gone")]]
      end
    }) do |server|
      slow = server.connect.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      eventually { server.in_flight == 1 }
      assert_equal "gone", server.get("/replace").body
      assert_equal "x" * 5_000_000, slow.answer.body
    end
  end

  def test_a_client_that_takes_nothing_is_given_up
    serve(->(_) { [200, TEXT.dup, ["x" * 20_000_000]] }, write_timeout: 1) do |server|
      server.connect.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      eventually { server.connections == 1 }
      eventually { server.connections.zero? }
    end
  end

  # A byte now and then is not enough, or its response would be kept for ever.
  def test_a_client_that_takes_next_to_nothing_is_given_up
    serve(->(_) { [200, TEXT.dup, ["x" * 20_000_000]] }, write_timeout: 1) do |server|
      client = server.connect.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      eventually { server.connections == 1 }
      eventually { client.read(1) && server.connections.zero? }
    end
  end

  def test_a_unix_socket_serves_as_well
    Dir.mktmpdir do |folder|
      serve(->(env) { [200, TEXT.dup, [env["REMOTE_ADDR"]]] },
        bind: "unix://#{folder}/s") do |server|
        assert_equal "127.0.0.1", server.get.body
      end
    end
  end

  ServerContract.run(self)
  ServerContract.run_on_threads(self)
  ServerContract.run_in_ractors(self,
    without: [:test_changes_of_a_string_while_it_is_sent_do_not_matter])
end
