# frozen_string_literal: true

require "json"
require_relative "server_contract"
require "support/http2/connection"
require_relative "../../../bench/harness/syscalls"

# Costs of a request, in counts that are the same everywhere. The server is a process of its own, so
# that only its work is counted.
module ServerCountsTest
  REQUEST = "GET / HTTP/1.1\r\nhost: test\r\nuser-agent: test\r\naccept: */*\r\n\r\n"
  # Ruby objects. Ours are the env, its new Strings, and the check of the fiber's storage.
  MOST_OBJECTS = 12
  # Among 1000 requests: once a second the heartbeat's objects are counted with a request.
  MOST_INTERRUPTED = 50
  # Ours are the env, its Strings, the stream, and the check of the fiber's storage.
  MOST_OBJECTS_OF_A_STREAM = 13
  # Objects of a connection with one request. Ours are the task with its parts, the stream and the
  # request cycle.
  MOST_OBJECTS_OF_A_CONNECTION = 33
  PROGRAM = <<~RUBY
    # frozen_string_literal: true
    require "json"
    require "raffia/server"
    require "raffia/server/worker"
    RESPONSE = [200, {"content-type" => "text/plain"}.freeze, ["hello"].freeze].freeze
    made = Array.new(2000, 0)
    index = -1
    app = lambda do |env|
      if env["PATH_INFO"] == "/counts"
        counts = {made: made, loop: Fiber.scheduler.stats[:syscalls].to_i}
        next [200, {}, [JSON.generate(counts)]]
      end

      made[index += 1] = GC.stat(:total_allocated_objects)
      RESPONSE
    end
    options = Raffia::Server::Options.build
    bind = Raffia::Server::Listen::Bind.parse("tcp://127.0.0.1:0")
    listener = Raffia::Server::Listen::Listener.open(bind, options).first
    worker = Raffia::Server::Worker.new(app, listeners: [listener], options: options)
    trap("TERM") { worker.stop(:now) }
    $stdout.sync = true
    worker.run { puts listener.port }
  RUBY
  private_constant :REQUEST, :MOST_OBJECTS, :PROGRAM

  def test_each_request_makes_the_same_few_objects
    skip "the engine in Ruby makes objects when it waits" if backend == :select
    with_program do |port, _|
      client = connect(port)
      1100.times { client.say(REQUEST).answer }
      made = counts(port)["made"].first(1100).last(1001)
      each = made.each_cons(2).map { |before, after| after - before }.tally
      usual, times = each.max_by(&:last)
      assert_operator usual, :<=, MOST_OBJECTS, each.to_s
      assert_operator times, :>=, 1000 - MOST_INTERRUPTED, each.to_s
      client.close
    end
  end

  # A client comes, asks and goes, and then the next one: the connection, its task, and all that is
  # theirs.
  def test_each_connection_makes_the_same_few_objects
    skip "the engine in Ruby makes objects when it waits" if backend == :select
    with_program do |port, _|
      300.times { visit(port) }
      made = counts(port)["made"].first(300).last(101)
      assert_operator (made.last - made.first) / 100.0, :<=, MOST_OBJECTS_OF_A_CONNECTION
    end
  end

  # Beside what the loop needs to learn who has sent something, which is for all of them at once.
  # Now and then a connection is asked in vain.
  def test_each_request_takes_two_system_calls
    (trouble = Bench::Syscalls.trouble) and skip(trouble)
    skip "its waits are system calls of their own" if backend == :select
    with_program do |port, pid|
      clients = Array.new(32) { connect(port) }
      rounds(clients, 10)
      each = calls(port, pid) { rounds(clients, 50) } / (32 * 50.0)
      # a few of the loop's are taken off twice: it turns for these questions, too
      assert_includes 1.95..2.12, each
      clients.each(&:close)
    end
  end

  # HTTP/2, one stream at a time.
  def test_each_stream_makes_the_same_few_objects
    skip_without_http2
    with_program do |port, _|
      TestSupport::HTTP2::Connection.open(port) do |client|
        1100.times { |n| client.get(n * 2 + 1) }
      end
      made = counts(port)["made"].first(1100).last(1001)
      each = made.each_cons(2).map { |before, after| after - before }.tally
      usual, times = each.max_by(&:last)
      assert_operator usual, :<=, MOST_OBJECTS_OF_A_STREAM, each.to_s
      assert_operator times, :>=, 1000 - MOST_INTERRUPTED, each.to_s
    end
  end

  def test_each_stream_takes_two_system_calls
    skip_without_http2
    (trouble = Bench::Syscalls.trouble) and skip(trouble)
    with_program do |port, pid|
      clients = Array.new(32) { TestSupport::HTTP2::Connection.open(port) }
      streams(clients, 1, 10)
      each = calls(port, pid) { streams(clients, 21, 50) } / (32 * 50.0)
      assert_includes 1.95..2.12, each
      clients.each(&:close)
    end
  end

  # One to receive them, one to answer them.
  def test_a_batch_of_pipelined_requests_takes_two_system_calls
    (trouble = Bench::Syscalls.trouble) and skip(trouble)
    skip "each of its answers is sent alone" if backend == :select
    with_program do |port, pid|
      client = connect(port)
      batches(client, 5)
      each = calls(port, pid) { batches(client, 50) } / 50.0
      assert_includes 1.7..3.0, each # see above; and the loop turns for this connection alone
      client.close
    end
  end

  private

  def with_program
    program = IO.popen([{"RAFFIA_BACKEND" => backend.to_s}, RbConfig.ruby, "-W0",
      "-I#{File.expand_path("../../../lib", __dir__)}", "-e", PROGRAM])
    yield program.gets.to_i, program.pid
  ensure
    ::Process.kill(:TERM, program.pid)
    program.close
  end

  def connect(port) = ServerContract::Client.new(TCPSocket.new("127.0.0.1", port))

  def visit(port)
    client = connect(port)
    client.say(REQUEST).answer
  ensure
    client.close
  end

  def counts(port)
    client = connect(port)
    JSON.parse(client.get("/counts").body)
  ensure
    client.close
  end

  # All clients have sent before the first one reads, so the server has all of them to do at once.
  def rounds(clients, count)
    count.times do
      clients.each { |client| client.say(REQUEST) }
      clients.each(&:answer)
    end
  end

  def batches(client, count)
    count.times do
      client.say(REQUEST * 16)
      16.times { client.answer }
    end
  end

  def skip_without_http2
    skip "built without libnghttp2" unless Raffia::Native.http2?
    skip "the engine in Ruby makes objects when it waits, and waits by system calls" if
      backend == :select
  end

  def streams(clients, first, count)
    count.times do |n|
      clients.each { |client| client.request(first + n * 2) }
      clients.each { |client| client.response(first + n * 2) }
    end
  end

  # @return [Integer] of the server while the block runs, without those of the loop
  def calls(port, pid)
    counter = Bench::Syscalls.new(pid)
    loop_before = counts(port)["loop"]
    before = counter.total
    yield
    total = counter.total - before
    total - (counts(port)["loop"] - loop_before)
  ensure
    counter&.close
  end

  ServerContract.run(self)
end
