# frozen_string_literal: true

require_relative "server_contract"

# Answers to pipelined requests are sent together, but none of them waits for an app that waits.
module ServerPipeliningTest
  TEXT = {"content-type" => "text/plain"}.freeze
  REQUEST = "GET /%s HTTP/1.1\r\nhost: test\r\n\r\n"

  def setup
    super
    @limiter = Thread::Queue.new
  end

  # Waits of the second request's application, and its body.
  WAITS = {
    queue: ->(gate) { [gate.pop] },
    nap: ->(gate) { [Array.new(1000).lazy.filter_map { gate.pop(timeout: 0.01) }.first] },
    thread: ->(gate) { [Thread.new { gate.pop }.value] },
    task: ->(gate) { [Raffia::Scope.open { |scope| scope.spawn { gate.pop }.value }] },
    body: ->(gate) { Enumerator.new { |pieces| pieces << gate.pop } }
  }.freeze

  WAITS.each do |name, wait|
    define_method(:"test_an_answer_is_sent_while_the_next_app_waits_in_a_#{name}") do
      serve(->(env) {
        [200, TEXT.dup, (env["PATH_INFO"] == "/first") ? ["first"] : wait.call(@limiter)]
      }) do |server|
        client = server.connect.say(format(REQUEST, "first") + format(REQUEST, "second"))
        assert_equal "first", client.answer.body
        @limiter << "gate"
        assert_equal "gate", client.answer.body
      end
    end
  end

  def test_complete_responses_are_sent_and_begun_ones_are_not
    body = Enumerator.new { |_| @limiter.pop && raise("on purpose") }
    serve(->(env) { [200, TEXT.dup, (env["PATH_INFO"] == "/last") ? body : ["x"]] },
      lint: false) do |server|
      client = server.connect.say(format(REQUEST, "x") * 9 + format(REQUEST, "last") +
        format(REQUEST, "x"))
      9.times { assert_equal "x", client.answer.body }
      @limiter << true
      assert_equal [500, 200], [client.answer.status, client.answer.status]
    end
  end

  # More than the kernel's buffers take, so a part is sent and the rest is not.
  def test_a_client_that_does_not_read_gets_all_in_the_end
    app = lambda do |_|
      sleep(0.001)
      [200, TEXT.dup, ["x" * 7000]]
    end
    serve(app, head_timeout: 300, write_timeout: 300) do |server|
      client = server.connect
      # with much less, each of a thousand windows waits for a timer of the kernel
      client.socket.setsockopt(:SOCKET, :RCVBUF, 65_536)
      writer = Thread.new { client.say(format(REQUEST, "x") * 1000) }
      1000.times { assert_equal 7000, client.answer.body.bytesize }
      writer.join
    end
  end

  def test_a_client_that_has_gone_ends_nothing_else
    serve(->(env) {
      [200, TEXT.dup, (env["PATH_INFO"] == "/slow") ? [@limiter.pop] : ["x"]]
    }) do |server|
      leaver = server.connect.say(format(REQUEST, "slow") + format(REQUEST, "x") * 3 +
        format(REQUEST, "slow"))
      eventually { @limiter.num_waiting == 1 }
      leaver.socket.setsockopt(:SOCKET, :LINGER, [1, 0].pack("ii"))
      leaver.close
      2.times { @limiter << "gate" }
      assert_equal "x", server.get("/x").body
      eventually { server.worker.connections.empty? }
    end
    refute_match(/ERROR/, log)
  end

  # Each request of the flood makes another connection, so the listener always has one more.
  def test_a_flood_of_connections_does_not_keep_others_waiting_for_ever
    begun, sent = Thread::Queue.new, Thread::Queue.new
    served, count, floods, port = nil, 0, [], nil
    another = lambda do |_|
      begun << true && sent.pop if count.zero?
      floods << TCPSocket.new("127.0.0.1", port)
      floods.last.write("GET /flood HTTP/1.1\r\nhost: x\r\n\r\n")
      floods.shift.close if floods.size > 50
    end
    app = lambda do |env|
      served = count if env["PATH_INFO"] == "/"
      if served.nil? && count < 4000
        Fiber.blocking(&another)
        count += 1
      end
      [200, {"content-type" => "text/plain"}, ["x"]]
    end
    serve(app, lint: false) do |server|
      port = server.listener.port
      client = server.connect
      eventually { server.connections == 1 }
      server.connect.say("GET /flood HTTP/1.1\r\nhost: x\r\n\r\n")
      begun.pop
      client.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      sent << true
      assert_equal 200, client.answer.status
      assert_operator served, :<, 4000
    ensure
      floods.each(&:close)
    end
  end

  ServerContract.run(self)
  # Threads have no loop, and keep what is left in them, as those of other servers do.
  ServerContract.run_on_threads(self, without: %i[
    test_an_answer_is_sent_while_the_next_app_waits_in_a_task
    test_a_flood_of_connections_does_not_keep_others_waiting_for_ever
  ])
end
