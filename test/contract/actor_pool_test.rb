# frozen_string_literal: true

require_relative "actor_pool_contract"

class ActorPoolFibersTest < Raffia::TestCase
  include ActorPoolContract

  def place = :fibers

  def test_a_pool_ends_with_the_loop_it_lives_in
    pool = Raffia.run { ActorPoolContract::Clerk.pool(size: 2).tap(&:who) }
    assert_equal([:dead, 0], [pool.status, pool.size])
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
