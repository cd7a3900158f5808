# frozen_string_literal: true

Simulations.of "task/semaphore", covers: %w[task/waiter task/spin_lock] do
  model "a larger limit lets waiting parties in", runs: 20 do
    semaphore = Raffia::Semaphore.new(1)
    most = held = 0
    parties = 3.times.map do
      lambda do
        semaphore.synchronize do
          most = [most, held += 1].max
          nap(0.01)
          held -= 1
        end
      end
    end
    resizer = lambda do
      sim.sleep(0.005)
      semaphore.resize(3)
    end
    seconds = elapsed { together(*parties, resizer) }
    check_equal(3, most, "parties at once")
    check(same_time?(seconds, 0.015), "took #{seconds} s")
  end

  model "a smaller limit holds, and refuses what is too heavy for it", runs: 80 do
    semaphore = Raffia::Semaphore.new(3)
    held = 0
    parties = 3.times.map do
      lambda do
        attempt(Raffia::ConfigError) do
          semaphore.synchronize(weight = 1 + choose(3)) do
            held += weight
            check(held <= 3, "#{held} of 3 were held")
            nap(pause(2))
            held -= weight
          end
        end
      end
    end
    resizer = lambda do
      nap(pause(2))
      semaphore.resize(1)
    end
    together(*parties, resizer)
    check_equal([1, 0], [semaphore.available, semaphore.waiting], "free, and waiting")
    check(semaphore.try_acquire, "cannot be acquired")
  end

  model "a change of the limit loses no party that comes meanwhile", runs: 60 do
    semaphore = Raffia::Semaphore.new(2).acquire(2)
    parties = 4.times.map { -> { semaphore.synchronize { nap(pause(1)) } } }
    resizers = [3, 2].map { |limit| -> { semaphore.resize(limit) } }
    threads = in_threads(parties + resizers)
    nap(pause(1))
    semaphore.release(2)
    threads.each(&:join)
    check_equal([semaphore.limit, 0], [semaphore.available, semaphore.waiting], "free, and waiting")
  end

  model "beside a change of the limit, what fits is acquired and what does not is refused",
    runs: 40 do
    semaphore = Raffia::Semaphore.new(3)
    acquired, = in_threads([
      -> { attempt(Raffia::ConfigError) { semaphore.try_acquire(2) } }, -> { semaphore.resize(1) }
    ]).map(&:value)
    check(acquired, "not acquired, while nothing was held")
    held = (acquired == true) ? 2 : 0
    check_equal(1 - held, semaphore.available, "free")
  end
end
