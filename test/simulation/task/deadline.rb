# frozen_string_literal: true

Simulations.of "task/deadline", covers: %w[task/alarm task/cancellation_stack task/cancel_scope
  task/waiter task/race task/retry task/backoff task/shield] do
  waits = [->(seconds) { Kernel.sleep(seconds) }, ->(seconds) { Raffia::Waiter.nap(seconds) },
    ->(seconds) { Thread::Queue.new.pop(timeout: seconds) },
    lambda do |seconds|
      Raffia::Channel.new.pop(timeout: seconds)
    rescue Raffia::TimeoutError => error
      raise unless error.seconds.equal?(seconds)
    end]

  model "the nearest of nested deadlines ends the work, in time", runs: 60 do
    program = lambda do
      limits = Array.new(1 + choose(3)) { 0.01 * (1 + choose(6)) }
      work = 0.01 * (1 + choose(6))
      nearest = limits.min
      begun = sim.now
      nest = lambda do |rest|
        next waits[choose(waits.size)].call(work) && :worked || :worked if rest.empty?

        Raffia.timeout(rest.first) { nest.call(rest.drop(1)) }
      end
      result = attempt(Raffia::TimeoutError) { nest.call(limits) }
      took = sim.now - begun
      check(same_time?(took, [work, nearest].min), "took #{took}: #{limits}, work #{work}")
      late = result.is_a?(Raffia::TimeoutError)
      check(late, "worked for #{work} within #{limits}") if work > nearest + 1e-6
      check(!late, "timed out: #{limits}, work #{work}") if work < nearest - 1e-6
      check_equal(nearest, result.seconds, "seconds of the error") if late
      # Nothing of it comes later.
      waits[choose(waits.size)].call(0.1)
      true
    end
    check_equal([true] * 3, together(program, program, program), "ends")
  end

  model "a deadline holds for tasks, scopes and waits below it", runs: 40 do
    limit = 0.01 * (1 + choose(3))
    begun = sim.now
    started = cleaned = 0
    error = attempt(Raffia::TimeoutError) do
      Raffia.run do
        Raffia.timeout(limit) do
          Raffia::Scope.open do |scope|
            3.times do
              scope.spawn do
                started += 1
                waits[choose(waits.size)].call(1)
              ensure
                Raffia.shield { nap(pause) || cleaned += 1 }
              end
            end
            one_of(-> {}, -> { nap(1) }).call
          end
        end
      end
    end
    check(error.is_a?(Raffia::TimeoutError), "no timeout: #{error.inspect}")
    check_equal(started, cleaned, "tasks that cleaned up")
    check(sim.now - begun <= limit + 0.003 + 1e-6, "took #{sim.now - begun} of #{limit}")
  end

  model "a race returns the first value, and its losers have ended", runs: 60 do
    seconds = Array.new(3) { choose(4) / 100.0 }
    fails = Array.new(3) { choose(3).zero? }
    ended = started = 0
    begun = sim.now
    result = Raffia.run do
      attempt(IOError) do
        Raffia.race([0, 1, 2]) do |index|
          started += 1
          waits[choose(waits.size)].call(seconds[index])
          raise IOError, index.to_s if fails[index]

          index
        ensure
          ended += 1
        end
      end
    end
    check_equal(started, ended, "contestants that ended")
    alive = [0, 1, 2].reject { |index| fails[index] }
    if alive.empty?
      check(result.is_a?(IOError), "won by #{result.inspect}")
      check_equal(2, Raffia.suppressed(result).size, "errors beside the first")
    else
      best = alive.map { |index| seconds[index] }.min
      check(alive.include?(result) && seconds[result] == best, "won by #{result}: #{seconds}")
      check(same_time?(sim.now - begun, best), "took #{sim.now - begun} of #{best}")
    end
  end

  model "retry tries as often as told, with its pauses, and not beyond the deadline", runs: 40 do
    program = lambda do
      times = 1 + choose(4)
      succeed = 1 + choose(5)
      limit = one_of(nil, 0.35, 0.05)
      attempts = 0
      begun = sim.now
      body = lambda do
        Raffia.retry(times: times, backoff: 0.1, jitter: 0, on: IOError) do |attempt|
          attempts += 1
          check_equal(attempts, attempt, "attempt")
          raise IOError if attempt < succeed

          :worked
        end
      end
      result = attempt(IOError) { limit ? Raffia.timeout(limit, &body) : body.call }
      # Pauses of 0.1, 0.2, 0.4 s: those that end before the deadline.
      possible = 1
      possible += 1 while possible < times && (limit.nil? || (2**possible - 1) * 0.1 < limit)
      expected = [possible, succeed].min
      check_equal(expected, attempts, "attempts")
      check_equal((succeed <= possible) ? Symbol : IOError, result.class, "end")
      pauses = (2**(expected - 1) - 1) * 0.1
      check(same_time?(sim.now - begun, pauses), "took #{sim.now - begun} instead of #{pauses}")
      true
    end
    together(program, program)
  end
end
