# frozen_string_literal: true

Simulations.of "task/barrier", covers: %w[task/waiter task/spin_lock] do
  model "all parties of a round pass together, after the action", runs: 40 do
    parties = 2 + choose(2)
    rounds = 3
    arrived = Array.new(rounds, 0)
    actions = 0
    barrier = Raffia::Barrier.new(parties) do
      check(arrived[actions] == parties, "the action runs before all have come")
      nap(pause(1))
      actions += 1
    end
    indexes = together(*parties.times.map do
      lambda do
        rounds.times.map do |round|
          nap(pause(1))
          arrived[round] += 1
          index = barrier.wait
          check(arrived[round] == parties, "passed with #{arrived[round]} of #{parties}")
          check(actions > round, "passed before the action")
          index
        end
      end
    end)
    indexes.transpose.each { |round| check_equal([*0...parties], round.sort, "numbers") }
    check_equal([rounds, 0, false], [actions, barrier.waiting, barrier.broken?], "actions")
  end

  model "either all of a generation pass or none", runs: 60 do
    parties = 3
    barrier = Raffia::Barrier.new(parties)
    results = together(*parties.times.map do
      lambda do
        nap(pause(2))
        attempt(Raffia::TimeoutError, Raffia::Barrier::Broken) do
          barrier.wait(timeout: one_of(nil, 0.001, 0.002))
        end
      end
    end)
    passed = results.grep(Integer)
    check([0, parties].include?(passed.size), "only some passed: #{results}")
    check_equal(passed.empty?, barrier.broken?, "broken")
    next if passed.any?

    late = results.grep(Raffia::TimeoutError)
    check(late.any?, "broken, and no party gave up: #{results}")
  end

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
end
