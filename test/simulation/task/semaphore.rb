# frozen_string_literal: true

Simulations.of "task/semaphore", covers: %w[task/waiter task/spin_lock] do
  model "holders never exceed the limit, and all get their turn", runs: 40 do
    semaphore = Raffia::Semaphore.new(limit = 1 + choose(3))
    held = most = 0
    parties = 4.times.map do
      lambda do
        2.times do
          weight = 1 + choose(limit)
          semaphore.synchronize(weight) do
            most = [most, held += weight].max
            nap(pause(1))
            held -= weight
          end
        end
      end
    end
    together(*parties)
    check(most <= limit, "#{most} of #{limit} were held")
    check_equal([limit, 0], [semaphore.available, semaphore.waiting], "free, and waiting")
  end

  model "a wait that times out takes nothing and lets others pass", runs: 40 do
    semaphore = Raffia::Semaphore.new(2)
    held = most = 0
    parties = 4.times.map do
      lambda do
        weight = 1 + choose(2)
        attempt(Raffia::TimeoutError) do
          semaphore.synchronize(weight, timeout: one_of(nil, 0, 0.001, 0.002)) do
            most = [most, held += weight].max
            nap(pause(2))
            held -= weight
          end
        end
        semaphore.try_acquire(weight) && semaphore.release(weight)
      end
    end
    together(*parties)
    check(most <= 2, "#{most} of 2 were held")
    check_equal([2, 0], [semaphore.available, semaphore.waiting], "free, and waiting")
  end

  model "cancelled waits give back", runs: 40 do
    semaphore = Raffia::Semaphore.new(2)
    held = most = 0
    Raffia.run do |scope|
      tasks = 5.times.map do
        weight = 1 + choose(2)
        scope.spawn do
          2.times do
            semaphore.synchronize(weight) do
              most = [most, held += weight].max
              nap(pause(2))
            ensure
              held -= weight
            end
          end
        end
      end
      cancel = lambda do
        tasks.each do |task|
          nap(pause(1))
          task.cancel if choose(2).zero?
        end
      end
      one_of(true, false) ? Thread.new(&cancel).join : cancel.call
    end
    check(most <= 2, "#{most} of 2 were held")
    check_equal([2, 0], [semaphore.available, semaphore.waiting], "free, and waiting")
  end

  model "waiting parties are served in their order", runs: 20 do
    semaphore = Raffia::Semaphore.new(2).acquire(2)
    order = []
    start = lambda do |number|
      lambda do
        sim.sleep(0.001 * (number + 1))
        semaphore.acquire((number == 1) ? 2 : 1)
        order << number
        semaphore.release((number == 1) ? 2 : 1)
      end
    end
    release = lambda do
      sim.sleep(0.01)
      check_equal(3, semaphore.waiting, "waiting")
      semaphore.release
      sim.sleep(0.01)
      semaphore.release
    end
    together(*3.times.map(&start), release)
    check_equal([0, 1], order.first(2), "order of service")
    check_equal([0, 1, 2], order.sort, "parties served")
  end

  model "a party that is interrupted at its turn gives it to the next", runs: 40 do
    semaphore = Raffia::Semaphore.new(1).acquire
    served = 0
    first, second = Array.new(2) { interruptible { semaphore.synchronize { served += 1 } } }
    sim.settle
    in_threads([-> { semaphore.release }, -> { interrupt(first) }]).each(&:join)
    ended(first, second)
    check([1, 2].include?(served), "#{served} were served")
    check_equal([1, 0], [semaphore.available, semaphore.waiting], "free, and waiting")
  end

  model "a heavy party that gives up lets lighter ones in, beside a release", runs: 60 do
    semaphore = Raffia::Semaphore.new(3).acquire(2)
    light = 2.times.map do
      lambda do
        sim.sleep(0.0005)
        semaphore.acquire(timeout: 0.01)
      end
    end
    heavy = -> { attempt(Raffia::TimeoutError) { semaphore.acquire(3, timeout: 0.001) } }
    release = lambda do
      sim.sleep(0.001)
      semaphore.release
    end
    in_threads([heavy, *light, release]).each(&:join)
    check_equal([0, 0], [semaphore.available, semaphore.waiting], "free, and waiting")
  end
end
