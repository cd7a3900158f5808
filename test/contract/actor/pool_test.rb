# frozen_string_literal: true

require_relative "pool_contract"

class ActorPoolFibersTest < Raffia::TestCase
  include ActorPoolContract

  def place = :fibers

  def test_a_pool_ends_with_the_loop_it_lives_in
    pool = Raffia.run { ActorPoolContract::Clerk.pool(size: 2).tap(&:who) }
    assert_equal([:dead, 0], [pool.status, pool.size])
  end

  class Hesitant < Raffia::Actor
    def initialize(gate) = gate.pop

    def hold(gate) = Raffia.shield { gate.pop }
  end

  def test_an_interrupted_start_leaves_no_worker_behind
    gate = Thread::Queue.new.push(:first)
    Raffia.run do
      assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.05) { Hesitant.pool(gate, size: 2) } }
      wait_until { Raffia::Actor::ActorLoop.here.cores.empty? }
    end
  end

  def test_a_worker_that_does_not_end_keeps_no_pool_from_it
    gate = Thread::Queue.new
    log, Raffia::Actor.log = Raffia::Actor.log, Logger.new(received = StringIO.new)
    pool = Hesitant.pool(Thread::Queue.new.push(1).push(2), size: 2)
    pool.async.hold(gate)
    wait_until { gate.num_waiting == 1 }
    pool.kill
    assert(pool.join(LONG))
    assert_match(/Hesitant.*left to itself/, received.string)
  ensure
    gate << :open
    Raffia::Actor.log = log
  end
end

class ActorPoolThreadsTest < Raffia::TestCase
  include ActorPoolContract

  def place = :threads
end

class ActorPoolProcessesTest < Raffia::TestCase
  include ActorPoolContract

  def setup = need_fork

  def place = :processes
end
