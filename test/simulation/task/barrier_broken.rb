# frozen_string_literal: true

Simulations.of "task/barrier", covers: %w[task/waiter task/spin_lock] do
  model "a reset fails those that wait, and no others", runs: 40 do
    barrier = Raffia::Barrier.new(2)
    parties = 4.times.map do
      lambda do
        nap(pause(2))
        attempt(Raffia::Barrier::Broken, Raffia::TimeoutError) { barrier.wait(timeout: 1) }
      end
    end
    reset = lambda do
      nap(pause(2))
      barrier.reset
    end
    *results, _ = together(*parties, reset)
    passed = results.grep(Integer)
    check(passed.size.even?, "a party passed alone: #{results}")
    check_equal(passed.count(0), passed.count(1), "numbers")
    # One fails by the reset, one is then left alone.
    check(results.size - passed.size <= 2, "too many failed: #{results}")
    barrier.reset
    check_equal([0, 1], together(-> { barrier.wait }, -> { barrier.wait }).sort, "after a reset")
  end

  model "a cancelled party breaks the barrier for the others", runs: 40 do
    barrier = Raffia::Barrier.new(3)
    tasks = nil
    Raffia.run do |scope|
      tasks = 3.times.map do
        scope.spawn do
          nap(pause(1))
          attempt(Raffia::Barrier::Broken) { barrier.wait }
        end
      end
      cancel = -> { nap(pause(1)) || tasks[choose(3)].cancel }
      one_of(true, false) ? Thread.new(&cancel).join : cancel.call
      nap(0.01)
      # One that was cancelled before it came has not broken anything.
      barrier.reset
    end
    ends = tasks.map { |task| (task.status == :cancelled) ? :cancelled : task.value }
    passed = ends.grep(Integer).size
    all = passed.zero? || passed + ends.count(:cancelled) == 3
    check(all, "only some passed: #{ends}")
    check(passed.zero? || ends.count(:cancelled) <= 1, "cancelled: #{ends}")
  end

  model "an action that fails breaks the barrier for all", runs: 20 do
    barrier = Raffia::Barrier.new(2) { nap(pause(1)) || raise(IOError) }
    results = together(*2.times.map do
      -> { attempt(IOError, Raffia::Barrier::Broken) { barrier.wait } }
    end)
    check_equal([IOError, Raffia::Barrier::Broken], results.map(&:class).sort_by(&:name), "ends")
    check_equal(true, barrier.broken?, "broken")
  end

  model "a party that is cancelled while it waits breaks the barrier for the next", runs: 60 do
    barrier = Raffia::Barrier.new(3)
    late = lambda do
      nap(pause(1))
      attempt(Raffia::Barrier::Broken) { barrier.wait }
    end
    Raffia.run do |scope|
      early = -> { attempt(Raffia::Barrier::Broken) { barrier.wait } }
      tasks = in_tasks(scope, [early, early])
      sim.settle
      threads = in_threads([late, -> { tasks.first.cancel }])
      other = tasks.last.value
      third = threads.map(&:value).first
      passed = [other, third].grep(Integer).size
      check_equal(0, passed % 2, "others that passed")
      # It may be cancelled after it has passed.
      check(passed == 2 || tasks.first.status == :cancelled, "one passed alone")
    end
  end

  model "a reset beside the last party: all pass or none", runs: 60 do
    barrier = Raffia::Barrier.new(2)
    party = lambda do
      attempt(Raffia::Barrier::Broken, Raffia::TimeoutError) { barrier.wait(timeout: 1) }
    end
    first, last, = in_threads([party, party, -> { barrier.reset }]).map(&:value)
    check_equal(first.is_a?(Integer), last.is_a?(Integer), "passed")
  end

  model "an action that fails breaks the barrier for one that comes meanwhile", runs: 60 do
    barrier = Raffia::Barrier.new(2) { Thread.pass || raise(IOError) }
    ends = in_threads([-> { attempt(IOError, Raffia::Barrier::Broken) { barrier.wait } }] * 3)
      .map { |thread| thread.value.class }
    check_equal({IOError => 1, Raffia::Barrier::Broken => 2}, ends.tally, "ends")
  end

  model "a party that leaves breaks the barrier for those that wait and those that come" do
    barrier = Raffia::Barrier.new(3)
    party = -> { attempt(Raffia::Barrier::Broken) { barrier.wait } }
    Raffia.run do |scope|
      task, other = in_tasks(scope, [party, party])
      sim.settle
      one_of(-> { task.cancel }, -> { Thread.new { task.cancel }.join }).call
      check_equal(Raffia::Barrier::Broken, other.value.class, "end of the one that waits")
    end
    check_equal(Raffia::Barrier::Broken, party.call.class, "end of one that comes")
    check_equal([true, 0], [barrier.broken?, barrier.waiting], "broken, and waiting")
  end
end
