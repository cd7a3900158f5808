# frozen_string_literal: true

require "test_helper"
require "socket"
require "tempfile"
require "raffia"
require "raffia/server"

# The promises of every protocol's stream to the HTTP side: Raffia::Server::HTTP::Stream. A suite
# includes it and says how a request reaches a stream and how its response is read:
#
#   with_stream(request) { |stream, client| ... }   request: {method:, body:, version:, upgrade:}
#   client.answer, client.answers   the response as [status, headers, body], and those before it
#   client.send_body(bytes), client.leave
module HTTPStreamContract
  Refused = Raffia::Server::Refused
  Disconnected = Raffia::Server::Disconnected
  BadResponse = Raffia::Server::BadResponse
  # Seconds; nothing waits that long in a test that passes.
  LONG = 30
  PLAIN = {"content-type" => "text/plain"}.freeze

  def test_it_answers_all_messages_of_the_contract
    with_stream do |stream, _|
      missing = Raffia::Server::HTTP::Stream::MESSAGES.reject { |name| stream.respond_to?(name) }
      assert_empty missing
    end
  end

  def test_a_request_without_a_body
    with_stream do |stream, _|
      refute_predicate stream, :body?
      assert_predicate stream, :body_ready?
      assert_nil stream.read_body(10, LONG)
      assert_equal 0, stream.status
    end
  end

  def test_a_body_is_read_in_pieces
    with_stream(method: "POST", body: "hello world") do |stream, _|
      assert_predicate stream, :body?
      assert_equal "hello", stream.read_body(5, LONG)
      rest = +""
      while (piece = stream.read_body(64, LONG))
        rest << piece
      end
      assert_equal " world", rest
      assert_equal Encoding::BINARY, rest.b.encoding
      assert_predicate stream, :body_ready?
    end
  end

  def test_a_body_that_does_not_come_is_refused
    with_stream(method: "POST", body: "he", length: 5) do |stream, _|
      assert_equal "he", stream.read_body(64, LONG)
      refute_predicate stream, :body_ready?
      assert_equal 408, assert_raises(Refused) { stream.read_body(64, 0) }.status
    end
  end

  def test_waiting_for_a_body_and_a_client
    with_stream(method: "POST", body: "he", length: 5) do |stream, client|
      assert_equal "he", stream.read_body(64, LONG)
      assert_nil stream.wait_readable(0)
      client.send_body("llo")
      assert stream.wait_readable(LONG)
      assert_equal "llo", stream.read_body(64, LONG)
      assert stream.wait_writable(LONG)
    end
  end

  def test_a_client_leaves_within_a_body
    with_stream(method: "POST", body: "he", length: 5) do |stream, client|
      assert_equal "he", stream.read_body(64, LONG)
      client.leave
      assert_raises(Disconnected) { stream.read_body(64, LONG) }
    end
  end

  def test_a_whole_answer
    with_stream do |stream, client|
      assert stream.answer([200, PLAIN, ["hello", " world"]])
      stream.flush
      assert_answer(client, 200, "hello world", "content-type" => "text/plain")
      assert_equal [200, 11], [stream.status, stream.body_sent]
      assert_operator stream.sent, :>, 11
      assert_operator stream.received, :>, 0
    end
  end

  def test_other_responses_are_not_answered
    each_body = Class.new(Array).new(["x"])
    with_stream do |stream, client|
      [[200, {}, each_body], ["200", {}, []], [200, [], []], [199, {}, []], [200, {}], nil,
        [200, {}, ->(_) {}]].each { |response| refute stream.answer(response), response.inspect }
      assert_equal 0, stream.status
      assert stream.answer([204, {}, []])
      stream.flush
      assert_answer(client, 204, "")
    end
  end

  def test_an_invalid_answer_sends_nothing
    with_stream do |stream, client|
      assert_raises(BadResponse) { stream.answer([200, {"a b" => "c"}, []]) }
      assert_raises(BadResponse) { stream.answer([200, {"content-length" => "9"}, ["x"]]) }
      assert_raises(BadResponse) { stream.begin(99, {}) }
      assert stream.reset_response
      assert stream.answer([500, {}, ["bad"]])
      stream.flush
      assert_answer(client, 500, "bad")
    end
  end

  def test_an_answer_in_pieces
    with_stream do |stream, client|
      assert stream.begin(200, PLAIN)
      assert_equal 2, stream.write("ab")
      assert_equal 0, stream.write("")
      stream.write("cd" * 10_000)
      stream.finish
      stream.finish # once is enough
      assert_answer(client, 200, "ab#{"cd" * 10_000}")
      assert_equal 20_002, stream.body_sent
      assert_raises(IOError) { stream.write("more") }
    end
  end

  def test_an_answer_of_a_known_length
    with_stream do |stream, client|
      stream.begin(200, {}, 4)
      stream.write("ab")
      assert_raises(BadResponse) { stream.write("cde") }
      assert_raises(BadResponse) { stream.finish }
      stream.write("cd")
      stream.finish
      assert_answer(client, 200, "abcd", "content-length" => "4")
    end
  end

  def test_a_part_of_a_file
    Tempfile.create("raffia") do |file|
      file.write("0123456789")
      file.flush
      with_stream do |stream, client|
        stream.begin(200, {}, 5)
        stream.send_file(file, 2, 5)
        stream.finish
        assert_answer(client, 200, "23456")
      end
    end
  end

  def test_where_no_body_may_follow
    with_stream(method: "HEAD") do |stream, _|
      refute stream.begin(200, {}, 4)
      stream.finish
      assert_equal 0, stream.body_sent
    end
    with_stream { |stream, _| refute stream.begin(304, {}) }
  end

  def test_an_interim_response
    with_stream do |stream, client|
      stream.send_interim(103, {"link" => "</a.css>; rel=preload"})
      assert stream.answer([200, {}, ["x"]])
      stream.send_interim(103, {"link" => "</b.css>"}) if stream.begin(200, {}) # too late
      stream.reset_response
      stream.flush
      assert_answer(client, 200, "x")
      assert_equal [103], client.interim
    end
  end

  def test_reset_response
    with_stream do |stream, client|
      assert stream.reset_response # nothing has begun
      stream.begin(200, {}, 4)
      assert stream.reset_response
      assert_equal 0, stream.status
      stream.begin(202, {}, 4)
      stream.write("ab")
      refute stream.reset_response
      assert_equal 202, stream.status
      stream.write("cd")
      stream.finish
      assert stream.reset_response # it has ended
      assert_equal 202, stream.status
      assert_answer(client, 202, "abcd")
    end
  end

  def test_a_whole_response_for_a_slow_client_is_buffered
    with_stream do |stream, client|
      stream.write_buffer_limit = 1
      stream.answer([200, {}, ["x" * (1 << 20)]]) # no kernel takes all of it, and nobody reads
      stream.write_buffer_limit = 0
      reader = Thread.new { client.answer }
      stream.flush
      assert_equal 1 << 20, reader.value.last.bytesize
    end
  end

  def test_a_client_that_has_gone
    with_stream do |stream, client|
      client.leave
      stream.begin(200, {})
      assert_raises(Disconnected) { 1_000.times { stream.write("x" * 10_000) } }
    end
  end

  def test_figures_of_waiting
    with_stream { |stream, _| assert_kind_of Integer, stream.queued }
  end

  def assert_answer(client, status, body, headers = {})
    answered, given, text = client.answer
    assert_equal [status, body.b], [answered, text.b]
    assert_equal headers, given.slice(*headers.keys)
  end
end
