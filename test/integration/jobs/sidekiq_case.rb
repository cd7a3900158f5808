# frozen_string_literal: true

require "test_helper"
require "logger"
require "support/servers"
require "support/sidekiq_peer"
require "raffia/jobs"
require "raffia/jobs/worker"

# Jobs of the names that {TestSupport::SidekiqPeer} has, on our side.
class EchoJob
  include Raffia::Job

  def perform(*args) = run.store.write("done:#{jid}", JSON.generate(args))
end

class FailingJob
  include Raffia::Job

  options retry: 3, backtrace: 2
  retry_in { 3600 } # no second failure while the first is looked at

  def perform(*) = raise(ArgumentError, "on purpose")
end

class HopelessJob < FailingJob
  options retry: 0
end

# Runs until the test lets it go.
class WaitingJob
  include Raffia::Job

  def perform = (sleep(0.01) until run.stopping? || run.store.read("gate"))
end

# Sidekiq and Raffia on one Redis.
module JobsSidekiqCase
  # Seconds for what a process of its own must start for.
  LONG = 60

  def setup
    %w[sidekiq redis-client].each do |gem|
      if Gem::Specification.find_all_by_name(gem).empty?
        skip "the gem #{gem} is not installed (bin/setup --drivers)"
      end
    end
    @server = TestSupport::Redis.running
    @url = "redis://127.0.0.1:#{@server.port}/3"
    @sidekiq = TestSupport::SidekiqPeer.new(@url, more_jobs)
    @store = Raffia::Jobs::Store.open(@url, compat: @sidekiq.version)
    @redis = RedisClient.config(url: @url, timeout: 30).new_client
    @redis.call("FLUSHDB")
    Raffia::Jobs.store = @store
  rescue TestSupport::Server::Missing => error
    skip error.message
  end

  def teardown
    @sidekiq&.close
    @redis&.close
    @store&.close
    Raffia::Jobs.store = "memory:" if @store # nothing of this database is other tests' affair
  end

  # @return [String] what else Sidekiq's side knows of jobs
  def more_jobs = ""

  # Our worker works while the block runs.
  def working(**options)
    worker = Raffia::Jobs::Worker.new(@store, log: Logger.new(nil), **options).start
    yield worker.worker
  ensure
    worker&.stop
  end

  # @return [Hash{String => Array}] arguments of what our side has done, by id
  def done_here
    @store.keys("done:").to_h { |key| [key.delete_prefix("done:"), JSON.parse(@store.read(key))] }
  end

  # @return [Hash{String => Array}] the same of Sidekiq's
  def done_there = @redis.call("LRANGE", "done", 0, -1).to_h { |line| JSON.parse(line) }

  def payloads(set) = @redis.call("ZRANGE", set, 0, -1).map { |payload| JSON.parse(payload) }
end
