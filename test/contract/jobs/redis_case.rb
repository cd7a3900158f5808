# frozen_string_literal: true

require "test_helper"
require "support/redis_kinds"
require "raffia/jobs"

# A store on a server of the tests. The database is emptied before each test.
module JobsRedisCase
  def setup
    @server = server.running
    need_gem
    @redis = RedisClient.config(**direct, timeout: 30).new_client
    @redis.call("FLUSHALL")
    super
  rescue TestSupport::Server::Missing => error
    skip error.message
  end

  def teardown
    super
    @redis&.close
    @server&.start
  end

  attr_reader :redis

  def server = TestSupport::Redis

  def url = "redis://127.0.0.1:#{@server.port}/1"

  # @return [Hash] for a connection of the test's own
  def direct = {url: url}

  def open_store(**options) = Raffia::Jobs::Store.open(url, **options)

  # Waits until so many connections wait for changes.
  def watched(count = 1)
    wait_until { redis.call("INFO", "clients")[/^tracking_clients:(\d+)/, 1].to_i >= count }
  end

  private

  def need_gem
    if Gem::Specification.find_all_by_name("redis-client").empty?
      skip "the gem redis-client is not installed"
    end
    require "redis_client"
  end
end
