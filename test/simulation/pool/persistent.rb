# frozen_string_literal: true

Simulations.of "pool/persistent/coordinator", covers: %w[pool/future pool/promise pool/queue_feed
  pool/persistent/submission pool/persistent/slot_registry pool/persistent/fair_queue
  pool/persistent/recovery executor/threads/background_group executor/threads/worker_group
  executor/fibers/background_group] do
  # A future's value, the error of its block, or :cancelled.
  result = lambda do |future|
    future.value
  rescue Raffia::Cancelled
    :cancelled
  rescue IOError => error
    error.message
  end

  # Runs the block with a pool; on fibers that is inside of a Raffia.run.
  with_pool = lambda do |program, **options, &block|
    next Raffia.run { block.call(Raffia::Pool.new(on: :fibers, **options)) } if program.one_of(true,
      false)

    block.call(Raffia::Pool.new(on: :threads, **options))
  end

  model "each call gives its result or its error, once", runs: 40 do
    ran = Hash.new(0)
    with_pool.call(self, workers: 1 + choose(2), queue: 1 + choose(3)) do |pool|
      submit = lambda do |from|
        Array.new(3) do |number|
          pool.submit do
            ran[from + number] += 1
            nap(pause(1))
            choose(4).zero? ? raise(IOError, (from + number).to_s) : from + number
          end
        end
      end
      other = Thread.new { submit.call(10).map(&result) } if pool.on == :threads
      values = submit.call(0).map(&result)
      others = other ? other.value : [10, 11, 12]
      numbers = (values + others).map { |value| Integer(value) }
      check_equal([0, 1, 2, 10, 11, 12], numbers, "results")
      check(pool.shutdown, "shutdown says that work is left")
      check(ran.values.all?(1), "runs: #{ran}")
      stats = pool.stats
      check_equal(ran.size, stats[:done] + stats[:failed], "calls that ended")
    end
  end

  model "no more calls wait than the queue holds", runs: 20 do
    with_pool.call(self, workers: 1, queue: bound = 1 + choose(2), overflow: :reject) do |pool|
      futures = 5.times.filter_map do |number|
        nap(pause(1))
        attempt(Raffia::Full) { pool.submit { nap(0.002) || number } }
      end
      accepted = futures.grep(Raffia::Pool::Future)
      check(pool.stats[:most_waiting] <= bound, "#{pool.stats[:most_waiting]} of #{bound} waited")
      values = accepted.map(&:value)
      check_equal(values.sort.uniq, values, "values")
      check_equal(5, values.size + pool.stats[:rejected], "calls")
      pool.shutdown
    end
  end

  model "shutdown ends all that was submitted", runs: 30 do
    done = 0
    pool = Raffia::Pool.new(on: :threads, workers: 2, queue: one_of(1, 10))
    submitters = 2.times.map do
      lambda do
        3.times.count do
          pool.submit { nap(pause(1)) || done += 1 }
        rescue Raffia::Closed
          false
        end
      end
    end
    closer = lambda do
      nap(pause(2))
      check(pool.shutdown, "work is left after shutdown")
    end
    *accepted, _ = (submitters + [closer]).map { |block| Thread.new(&block) }.map(&:value)
    check_equal(accepted.sum, done, "calls that ran")
    nap(0.001)
    check_equal(0, pool.stats[:workers], "workers after shutdown")
  end

  model "terminate settles every future", runs: 40 do
    pool = Raffia::Pool.new(on: :threads, workers: 2)
    futures = 5.times.map { |number| pool.submit { nap(pause(2)) || number } }
    waiting = Thread.new { futures.map(&result) }
    nap(pause)
    pool.terminate
    values = waiting.value
    check(values.each_with_index.all? { |value, index| [index, :cancelled].include?(value) },
      "results: #{values}")
    check_equal(:refused, attempt(Raffia::Closed) { pool.submit { 1 } }.then { :refused }, "submit")
  end

  model "a cancelled call does not run, or is stopped", runs: 40 do
    with_pool.call(self, workers: 1) do |pool|
      ran = []
      futures = 4.times.map { |number| pool.submit { nap(0.002) || ran << number && number } }
      cancelled = futures.select do |future|
        nap(pause(1))
        choose(2).zero? && future.cancel
      end
      ends = futures.to_h { |future| [future, result.call(future)] }
      check(cancelled.all? { |future| ends[future] == :cancelled }, "cancelled: #{ends.values}")
      kept = futures - cancelled
      check_equal(kept.map { |future| futures.index(future) }, kept.map { |one| ends[one] }, "kept")
      pool.shutdown
    end
  end

  model "a value that takes too long is waited for again", runs: 20 do
    pool = Raffia::Pool.new(on: :threads, workers: 1)
    future = pool.submit { nap(0.002) || :late }
    waits = -> { attempt(Raffia::TimeoutError) { future.value(one_of(0.001, 0.002, 0.003)) } }
    values = together(waits, waits, -> { future.value })
    late = values.all? { |value| value == :late || value.is_a?(Raffia::TimeoutError) }
    check(late, values.inspect)
    check_equal([:late, :late], [values.last, future.value], "value")
    pool.shutdown
  end
end
