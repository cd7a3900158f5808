# frozen_string_literal: true

Simulations.of "pool/api", covers: %w[pool/call pool/gather pool/worker_slot pool/queue_feed
  pool/retry/policy executor/worker_loop executor/threads/worker_group] do
  # Runs the block in a Raffia.run or in a plain thread.
  anywhere = lambda do |program, &block|
    program.one_of(true, false) ? Raffia.run { block.call } : block.call
  end

  model "map returns the results in order, and runs each item once", runs: 30 do
    ran = Hash.new(0)
    results = anywhere.call(self) do
      Raffia.map(0...7, on: one_of(:fibers, :threads), workers: 1 + choose(3)) do |item|
        nap(pause(2))
        ran[item] += 1
        item * 10
      end
    end
    check_equal([0, 10, 20, 30, 40, 50, 60], results, "results")
    check_equal([1] * 7, ran.values, "runs of items")
  end

  model "no more workers run than allowed", runs: 20 do
    workers = 1 + choose(3)
    running = most = 0
    anywhere.call(self) do
      Raffia.each(0...6, on: one_of(:fibers, :threads), workers: workers) do
        most = [most, running += 1].max
        nap(pause(1))
        running -= 1
      end
    end
    check(most <= workers, "#{most} of #{workers} workers ran")
  end

  model "the first error in order is raised when nothing runs any more", runs: 40 do
    running = 0
    bad = [1, 2, 4].select { choose(2).zero? }
    result = attempt(IOError) do
      anywhere.call(self) do
        Raffia.map(0...5, on: one_of(:fibers, :threads), workers: 2) do |item|
          running += 1
          nap(pause(2))
          raise IOError, item.to_s if bad.include?(item)

          item
        ensure
          running -= 1
        end
      end
    end
    check_equal(0, running, "blocks that run after map")
    check_equal(bad.empty? ? Array : IOError, result.class, "end of map")
    check(bad.map(&:to_s).include?(result.message), "error #{result.message}") if bad.any?
  end

  model "an item is tried again as often as told", runs: 20 do
    tries = Hash.new(0)
    needed = Array.new(4) { 1 + choose(4) }
    result = attempt(IOError) do
      anywhere.call(self) do
        Raffia.map(0...4, on: one_of(:fibers, :threads), workers: 2, retries: 2,
          backoff: 0.01) do |item|
          tries[item] += 1
          nap(pause(1))
          raise IOError, item.to_s if tries[item] < needed[item]

          item
        end
      end
    end
    check(tries.values.all? { |number| number <= 3 }, "tries: #{tries}")
    if needed.max <= 3
      check_equal([0, 1, 2, 3], result, "results")
      check_equal(needed, tries.sort.map(&:last), "tries")
    else
      check(result.is_a?(IOError), "no error: #{result}")
    end
  end

  model "a map that is cancelled leaves nothing running", runs: 30 do
    running = 0
    started = 0
    Raffia.run do |scope|
      task = scope.spawn do
        Raffia.map(0...5, on: one_of(:fibers, :threads), workers: 2) do
          started += 1
          running += 1
          begin
            nap(0.01)
          ensure
            running -= 1
          end
        end
      end
      nap(choose(30) / 1000.0)
      task.cancel
      task.join
      check_equal(0, running, "blocks that run after map")
    end
  end
end
