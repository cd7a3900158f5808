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
end
