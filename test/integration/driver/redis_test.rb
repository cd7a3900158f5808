# frozen_string_literal: true

require_relative "driver_case"

module RedisCase
  include DriverCase::Contract

  def library = "redis-client"

  def server = TestSupport::Redis

  def error = RedisClient::ConnectionError

  def config(port = @server.port, timeout: 60)
    RedisClient.config(host: "127.0.0.1", port: port, timeout: timeout, reconnect_attempts: 0)
  end

  def connect(port) = config(port).new_client

  def disconnect(connection) = connection.close

  # The gate is a list for each number, which is empty until it opens.
  def close_gate(observer) = observer.call("FLUSHALL")

  def open_gate(observer, numbers)
    observer.pipelined { |pipeline| numbers.each { |n| pipeline.call("RPUSH", "gate:#{n}", n) } }
  end

  def waiting(observer) = Integer(observer.call("INFO", "clients")[/^blocked_clients:(\d+)/, 1])

  def slow(connection, number)
    Integer(connection.blocking_call(false, "BLPOP", "gate:#{number}", 0).last)
  end

  def echo(connection, text) = connection.call("ECHO", text)

  def test_more_fibers_than_connections_take_turns
    pool = config.new_pool(size: 5, timeout: 60)
    run_fibers do |scope|
      connected do |observer|
        close_gate(observer)
        tasks = Array.new(50) do |number|
          scope.spawn { pool.with { |connection| slow(connection, number) } }
        end
        settle(observer, 5)
        open_gate(observer, 0...50)
        assert_equal [*0...50], tasks.map(&:value)
      end
    ensure
      pool.close
    end
  end

  def test_its_own_time_limit_works
    run_fibers do
      impatient = config(timeout: 1).new_client
      assert_raises(RedisClient::ReadTimeoutError) { impatient.call("BLPOP", "nothing", 0) }
      assert_equal "by a new connection", echo(impatient, "by a new connection")
    ensure
      disconnect(impatient)
    end
  end

  DriverCase.run(self)
end
