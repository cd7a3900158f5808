# frozen_string_literal: true

Simulations.of "task/cancellation_stack", covers: %w[task/scope task/task task/cancel_scope
  task/waiter task/alarm task/shield] do
  model "cancel ends a task at any of its waits, and nothing is left held", runs: 80 do
    lock = Mutex.new
    semaphore = Raffia::Semaphore.new(1)
    channel = Raffia::Channel.new(0)
    queue = Thread::Queue.new
    condition = Raffia::Condition.new
    waits = [-> { sleep(0.002) }, -> { Raffia::Waiter.nap(0.002) },
      -> { semaphore.synchronize { nap(0.001) } }, -> { lock.synchronize { nap(0.001) } },
      -> { channel.pop(timeout: 0.001) }, -> { queue.pop(timeout: 0.002) },
      -> { condition.wait(timeout: 0.001) }, -> { Raffia.timeout(0.001) { sleep(1) } },
      -> { Raffia.shield { nap(0.001) } }, -> { Raffia::Scope.open { |s| s.spawn { nap(0.002) } } },
      -> { Raffia::Scope.open { |s| s.cancel(:own) } }]
    started = ended = 0
    tasks = nil
    Raffia.run do |scope|
      tasks = 3.times.map do
        scope.spawn do
          started += 1
          4.times { attempt(Raffia::TimeoutError) { waits[choose(waits.size)].call } }
          :done
        ensure
          ended += 1
        end
      end
      cancel = lambda do
        tasks.each do |task|
          nap(choose(5) / 2000.0)
          task.cancel(:enough) if choose(3).positive?
        end
      end
      one_of(true, false) ? Thread.new(&cancel).join : cancel.call
    end
    check_equal(started, ended, "tasks that ended")
    check(tasks.all? { |task| %i[done cancelled].include?(task.status) }, "ends: #{tasks}")
    check(!lock.locked?, "the mutex is held")
    check_equal([1, 0, 0], [semaphore.available, semaphore.waiting, condition.waiting], "left")
  end

  model "no cancellation leaves its scope", runs: 60 do
    after = 0
    Raffia.run do |root|
      root.spawn do
        2.times do
          Raffia::Scope.open do |scope|
            cancel = -> { nap(choose(4) / 1000.0) || scope.cancel(:enough) }
            thread = Thread.new(&cancel) if choose(2).zero?
            scope.spawn(&cancel) unless thread
            2.times { scope.spawn { nap(choose(4) / 1000.0) } }
            one_of(-> { sleep(0.002) }, -> { Raffia::Waiter.nap(0.002) }, -> {}).call
            Raffia.shield { thread&.join }
          end
          # Waits of the scope around are free of it.
          sleep(0.001)
          Raffia::Waiter.nap(0.001)
          after += 1
        end
      end
    end
    check_equal(2, after, "scopes that ended well")
  end

  model "a shield runs to its end, and cancels then", runs: 40 do
    steps = []
    task = nil
    Raffia.run do |scope|
      task = scope.spawn do
        nap(pause(2))
        Raffia.shield do
          steps << :begun
          2.times { one_of(-> { sleep(0.001) }, -> { Raffia::Waiter.nap(0.001) }).call }
          attempt(Raffia::TimeoutError) { Raffia.timeout(0.001) { sleep(1) } }
          steps << :ended
        end
        nap(0.001)
        steps << :after
      end
      cancel = -> { nap(choose(7) / 1000.0) || task.cancel }
      asked = one_of(true, false) ? Thread.new(&cancel).value : cancel.call
      steps << :late unless asked
    end
    check_equal(steps.include?(:begun), steps.include?(:ended), "the shield ended")
    check_equal(task.status == :done, steps.include?(:after), "what came after it")
  end

  model "one of several cancels counts, and none after the end" do
    scope = cancels = nil
    Raffia.run do |root|
      root.spawn do
        Raffia::Scope.open do |own|
          scope = own
          threads = in_threads([-> { own.cancel(:one) }, -> { own.cancel(:other) }])
          Raffia.shield { cancels = threads.map(&:value) }
        end
      end
    end
    check_equal([true, false], cancels.sort_by(&:to_s).reverse, "cancels that counted")
    check_equal(false, scope.cancel, "a late cancel")
  end
end
