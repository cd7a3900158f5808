# frozen_string_literal: true

Simulations.of "task/rate_limiter", covers: %w[task/semaphore] do
  # Grants with their times; in no window are there more tokens than the bucket and the rate give.
  bounded = lambda do |program, limiter, grants|
    grants = grants.sort_by(&:first)
    grants.each_index do |first|
      (first...grants.size).each do |last|
        window = grants[last].first - grants[first].first
        tokens = grants[first..last].sum(&:last)
        most = limiter.burst + window * limiter.rate / limiter.per
        program.check(tokens <= most + 1e-5, "#{tokens} tokens within #{window} s")
      end
    end
  end

  model "no window gets more than the rate and the burst", runs: 30 do
    limiter = Raffia::RateLimiter.new(one_of(2, 10), per: one_of(1, 0.5), burst: 1 + choose(3))
    grants = []
    together(*4.times.map do
      lambda do
        3.times do
          count = 1 + choose(limiter.burst)
          limiter.acquire(count)
          grants << [sim.now, count]
          nap(choose(5) / 10.0)
        end
      end
    end)
    check_equal(12, grants.size, "grants")
    bounded.call(self, limiter, grants)
  end

  model "all tokens of the rate are given out", runs: 15 do
    limiter = Raffia::RateLimiter.new(10, burst: burst = 1 + choose(3))
    seconds = elapsed { together(*8.times.map { -> { limiter.acquire } }) }
    check(same_time?(seconds, (8 - burst) / 10.0), "8 tokens took #{seconds} s")
  end

  model "timeouts and cancels take no tokens", runs: 40 do
    limiter = Raffia::RateLimiter.new(10, burst: 1)
    grants = []
    acquire = lambda do
      2.times do
        attempt(Raffia::TimeoutError) do
          limiter.acquire(timeout: one_of(nil, 0, 0.05, 0.2))
          grants << [sim.now, 1]
        end
      end
    end
    Raffia.run do |scope|
      tasks = 4.times.map { scope.spawn(&acquire) }
      thread = Thread.new(&acquire)
      nap(choose(4) / 20.0)
      tasks.each { |task| task.cancel if choose(2).zero? }
      grants << [sim.now, 1] if limiter.try_acquire
      thread.join
    end
    bounded.call(self, limiter, grants)
    seconds = elapsed { limiter.acquire }
    check(seconds <= 0.1 + 1e-6, "the next token took #{seconds} s")
  end

  model "a small demand does not overtake a large one", runs: 20 do
    limiter = Raffia::RateLimiter.new(10, burst: 3)
    limiter.acquire(3)
    order = []
    demand = lambda do |count, start|
      lambda do
        sim.sleep(start)
        limiter.acquire(count)
        order << count
      end
    end
    together(demand.call(3, 0.01), demand.call(1, 0.02), demand.call(2, 0.03))
    check_equal([3, 1, 2], order, "order of service")
  end
end
