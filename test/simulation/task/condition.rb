# frozen_string_literal: true

Simulations.of "task/condition", covers: %w[task/waiter task/spin_lock task/shield] do
  model "no signal is missed between the check and the wait", runs: 40 do
    lock = Mutex.new
    filled = Raffia::Condition.new
    free = Raffia::Condition.new
    items = []
    producers = 2.times.map do |name|
      lambda do
        3.times do |number|
          lock.synchronize do
            free.wait(lock) until items.empty?
            items << [name, number]
            filled.signal
          end
        end
      end
    end
    consumers = 2.times.map do
      lambda do
        3.times.map do
          lock.synchronize do
            filled.wait(lock) while items.empty?
            items.shift.tap { free.signal }
          end
        end
      end
    end
    *, one, two = together(*producers, *consumers)
    check_equal([0, 1].product([0, 1, 2]), (one + two).sort, "items")
  end

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

  model "the mutex is held after each wait, however it ends", runs: 40 do
    lock = Mutex.new
    condition = Raffia::Condition.new
    inside = 0
    Raffia.run do |scope|
      tasks = 3.times.map do
        scope.spawn do
          lock.synchronize do
            condition.wait(lock, timeout: one_of(0.001, 0.002, 1))
          rescue Raffia::TimeoutError
            nil
          ensure
            check(lock.owned?, "the mutex was not held after the wait")
            check((inside += 1) == 1, "two hold the mutex")
            Raffia.shield do
              Raffia::Waiter.nap(0.001)
              inside -= 1
            end
          end
        end
      end
      signals = Thread.new do
        2.times do
          nap(pause(1))
          lock.synchronize { condition.signal }
        end
      end
      nap(pause)
      tasks.each { |task| task.cancel if choose(2).zero? }
      signals.join
    end
    check(!lock.locked?, "the mutex is still held")
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
end
