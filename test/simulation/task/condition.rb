# frozen_string_literal: true

Simulations.of "task/condition", covers: %w[task/waiter task/spin_lock task/shield] do
  model "each signal wakes one party, and brings it its value", runs: 40 do
    condition = Raffia::Condition.new
    waiters = 3.times.map do
      -> { 2.times.map { attempt(Raffia::TimeoutError) { condition.wait(timeout: 0.003) } } }
    end
    signals = lambda do
      4.times.select do |number|
        nap(pause(1))
        condition.signal(number)
      end
    end
    *got, sent = together(*waiters, signals)
    values = got.flatten(1).grep(Integer)
    check_equal(sent, values.sort, "values of signals")
    check_equal(0, condition.waiting, "still waiting")
  end

  model "a signal whose receiver is cancelled goes to the next", runs: 40 do
    condition = Raffia::Condition.new
    got = []
    sent = Raffia.run do |scope|
      tasks = 3.times.map { scope.spawn { got << condition.wait } }
      victim = tasks[choose(3)]
      signal = -> { condition.signal(:news) }
      cancel = -> { victim.cancel }
      acts = one_of([signal, cancel], [cancel, signal])
      if choose(2).zero?
        acts.map { |act| Thread.new(&act) }.each(&:join)
      else
        acts.each(&:call)
      end
      sim.settle
      nap(0.001)
      before = got.size
      tasks.each(&:cancel)
      before
    end
    check_equal(1, sent, "parties that were woken")
  end

  model "a broadcast wakes all that wait, once", runs: 20 do
    condition = Raffia::Condition.new
    waiters = 3.times.map do
      lambda do
        nap(pause(2))
        attempt(Raffia::TimeoutError) { condition.wait(timeout: 0.01) }
      end
    end
    caller = lambda do
      nap(pause(2))
      condition.broadcast(:all)
    end
    *got, woken = together(*waiters, caller)
    check_equal(woken, got.count(:all), "parties woken")
  end

  model "a signal whose receiver is interrupted goes to the next", runs: 40 do
    condition = Raffia::Condition.new
    got = []
    threads = Array.new(2) { interruptible { got << condition.wait } }
    sim.settle
    in_threads([-> { condition.signal(:news) }, -> { interrupt(threads[0]) }]).each(&:join)
    sim.sleep(0.001)
    check_equal([:news], got, "signals received")
    condition.broadcast
    ended(*threads)
  end

  model "no party is lost beside a broadcast", runs: 60 do
    condition = Raffia::Condition.new
    woken = 0
    threads = in_threads([*Array.new(3) { -> { condition.wait && woken += 1 } },
      -> { condition.broadcast(true) }])
    sim.sleep(0.001)
    check_equal(3, woken + condition.waiting, "parties")
    rest = 3 - woken
    check_equal(rest, condition.broadcast(true), "parties woken later")
    threads.each(&:join)
  end

  model "two signals wake two parties, or tell that none waits", runs: 60 do
    condition = Raffia::Condition.new
    woken = 0
    threads = in_threads(Array.new(2) { -> { condition.wait && woken += 1 } })
    sim.settle if choose(2).zero?
    sent = in_threads(Array.new(3) { -> { condition.signal(true) } }).map(&:value).count(true)
    sim.sleep(0.001)
    check_equal(sent, woken, "parties woken")
    condition.broadcast(true)
    threads.each(&:join)
  end

  model "a signal beside the only party, as it gives up: received, or none waits", runs: 60 do
    3.times do
      condition = Raffia::Condition.new
      got = []
      waiting = interruptible { got << condition.wait }
      sim.settle
      signal = Thread.new { condition.signal(:news) }
      interrupt(waiting)
      ended(waiting)
      check(signal.value || got.empty?, "received without a signal")
      check_equal(0, condition.waiting, "waiting")
    end
  end
end
