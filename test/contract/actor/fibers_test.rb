# frozen_string_literal: true

require_relative "actor_contract"
require_relative "shared_contract"
require_relative "links_contract"
require_relative "cycles_contract"

ActorCase.run(:fibers, ActorContract, ActorSharedContract, ActorLinksContract, ActorCyclesContract)

# Actors whose methods have tasks.
class ActorTasksTest < Raffia::TestCase
  include ActorCase
  include ActorCase::Inside

  Puppet = ActorSharedContract::Puppet

  # The call continues after the caller gave up, and may call it back.
  def test_a_caller_that_gave_up_does_not_wait
    with_actors do
      gate, done = Thread::Queue.new, Thread::Queue.new
      one, two = Puppet.spawn(done), Puppet.spawn
      calling = ->(scope) { scope.spawn { two.perform { gate.pop && one.note(:later) } } }
      one.perform do
        Raffia.run do |scope|
          task = calling.call(scope)
          sleep(0.001) until gate.num_waiting == 1
          task.cancel
        end
        gate.push(:open)
        sleep(0.001) until ref.stats[:mailbox] == 1
      end
      assert_equal([:start, :later], [done.pop, done.pop(timeout: PATIENCE)])
      assert_predicate(two, :alive?)
    end
  end
end
