# frozen_string_literal: true

require "test_helper"
require "raffia/server"

class ServerZombieThreadsTest < Raffia::TestCase
  Server = Raffia::Server
  # A hand-off whose thread runs until the test says otherwise.
  Handoff = Struct.new(:ended, :heavy, :thread) do
    def ended? = ended
  end

  def setup
    @limiter = Server::Admission::ConcurrencyLimiter.new(limit: 2)
    @counters = Server::Observability::Metrics::Counters.alone
    @log = StringIO.new
    @replaced = 0
  end

  def zombies(**options)
    options = Server::Options.build({execution: :threads, **options},
      config: Server::Config.load(Raffia::Variables.new({})))
    Server::Worker::ZombieThreads.new(options, 2, @limiter, @counters, Logger.new(@log)).tap do |all|
      all.on_hopeless { @replaced += 1 }
    end
  end

  def now = Raffia::Clock.now

  def test_they_keep_their_places_until_they_end
    all = zombies
    one, two = Array.new(2) { Handoff.new(false, false, Thread.current) }
    [one, two].each { |handoff| all.add(handoff, now * 1e6, "1 (/)") }
    all.sweep
    assert_equal [2, 2, 2], [@limiter.admitted, all.size, @counters.gauge(:threads_zombie)]
    one.ended = true
    all.sweep
    assert_equal [1, 1, 1], [@limiter.admitted, all.size, @counters.gauge(:threads_zombie)]
    assert_match(/request 1 \(\/\) was answered, and its thread goes on.*zombie_threads_test/m,
      @log.string)
  end

  def test_a_worker_with_no_other_threads_is_replaced_once
    all = zombies(worker_timeout: 10)
    2.times { all.add(Handoff.new(false, false, nil), now * 1e6, "x") }
    all.sweep(now + 9)
    assert_equal 0, @replaced
    3.times { all.sweep(now + 11) }
    assert_equal 1, @replaced
    assert_match(/all 2 threads are at requests whose deadline has passed/, @log.string)
  end

  def test_a_worker_with_another_thread_goes_on
    all = zombies(worker_timeout: 10)
    all.add(Handoff.new(false, false, nil), now * 1e6, "x")
    all.sweep(now + 1000)
    assert_equal 0, @replaced
  end

  def test_hard_timeout_counts_for_them
    all = zombies(hard_timeout: 20)
    all.add(Handoff.new(false, true, nil), (now - 15) * 1e6, "x")
    all.sweep(now)
    assert_equal 0, @replaced
    all.sweep(now + 6)
    assert_equal 1, @replaced
    assert_match(/a request has taken more than hard_timeout \(20 s\)/, @log.string)
  end
end
