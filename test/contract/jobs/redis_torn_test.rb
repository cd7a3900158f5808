# frozen_string_literal: true

require "socket"
require_relative "redis_case"
require_relative "store/case"

# A notification may come in parts, and the wait may end between two of them.
class JobsRedisTornTest < Raffia::TestCase
  include JobsRedisCase
  include JobsStoreContract::Case

  # A proxy that holds back the end of the first notification.
  class Tear
    TOLD = "invalidate\r\n"

    attr_reader :port, :torn, :rest

    def initialize(port)
      @server = TCPServer.new("127.0.0.1", 0)
      @port = @server.local_address.ip_port
      @torn = Thread::Queue.new
      @rest = Thread::Queue.new
      @threads = [Thread.new { serve(port) }]
    end

    def close
      @server.close
      @threads.each(&:kill)
    end

    private

    def serve(port)
      loop { join(@server.accept, TCPSocket.new("127.0.0.1", port)) }
    rescue IOError
      nil # it is over
    end

    def join(client, redis)
      @threads << Thread.new { copy(client, redis) { |bytes| bytes } } <<
        Thread.new { copy(redis, client) { |bytes| tear(client, bytes) } }
    end

    def copy(from, to)
      loop { to.write(yield(from.readpartial(65_536))) }
    rescue IOError, SystemCallError
      to.close
    end

    def tear(client, bytes)
      return bytes if @done || !(cut = bytes.index(TOLD))

      @done = true
      client.write(bytes.byteslice(0, cut + TOLD.bytesize))
      @torn << true
      @rest.pop
      bytes.byteslice(cut + TOLD.bytesize..)
    end
  end

  def teardown
    super
    @tear&.close
  end

  def test_a_wait_that_ends_within_a_message_leaves_nothing_of_it_to_the_next
    @tear = Tear.new(@server.port)
    store = Raffia::Jobs::Store.open("redis://127.0.0.1:#{@tear.port}/1")
    waiting = Thread.new { store.wait(%w[default]) }
    # The connection must also have polled: a poll finds earlier changes, and no notification comes.
    wait_until { redis.call("INFO", "stats")[/^tracking_total_keys:(\d+)/, 1].to_i.positive? }
    redis.call("LPUSH", "queue:default", "x")
    @tear.torn.pop
    sleep(0.2) # it has been read by now, or else this test shows nothing
    store.interrupt
    assert(waiting.join(LONG), "the wait did not end")
    @tear.rest << true
    store.wait(%w[default], timeout: LONG) # there is a job
    redis.call("DEL", "queue:default")
    waiting = Thread.new { store.wait(%w[default]) }
    watched(1)
    redis.call("LPUSH", "queue:default", "y")
    assert(waiting.join(LONG), "the next one hears of nothing")
    waiting.value
  ensure
    store&.close
  end
end
