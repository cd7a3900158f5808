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
end
