# frozen_string_literal: true

# Programs that are small enough for all of their orders: what happens at one instant.
options = {preempt: :none}

Simulations.of "task/semaphore", **options do
  model "a release beside a cancel, in all orders", exhaustive: true, runs: 100 do
    semaphore = Raffia::Semaphore.new(1).acquire
    Raffia.run do |scope|
      task = scope.spawn { semaphore.synchronize { nap(0) } }
      scope.spawn { nap(0.001) || semaphore.release }
      scope.spawn { nap(0.001) || task.cancel }
    end
    check_equal([1, 0], [semaphore.available, semaphore.waiting], "free, and waiting")
  end
end

Simulations.of "task/channel", covers: %w[task/select], **options do
  model "a push beside a cancelled pop, in all orders", exhaustive: true, runs: 100 do
    channel = Raffia::Channel.new(0)
    got = []
    put = false
    Raffia.run do |scope|
      receiver = scope.spawn { got << channel.pop }
      scope.spawn { nap(0.001) || put = put?(channel, :item) }
      scope.spawn { nap(0.001) || receiver.cancel }
    end
    check_equal(put ? [:item] : [], got, "items")
  end
end

Simulations.of "task/barrier", **options do
  model "a party's timeout beside the other party, in all orders", exhaustive: true, runs: 100 do
    barrier = Raffia::Barrier.new(2)
    party = lambda do
      attempt(Raffia::Barrier::Broken, Raffia::TimeoutError) do
        barrier.wait(timeout: 0.001)
      end
    end
    first, second = Raffia.run do |scope|
      in_tasks(scope, [party, -> { nap(0.001) || party.call }]).map(&:value)
    end
    check_equal(first.is_a?(Integer), second.is_a?(Integer), "passed")
  end
end

Simulations.of "task/condition", **options do
  model "a signal beside a timeout, in all orders", exhaustive: true, runs: 100 do
    condition = Raffia::Condition.new
    waits = Array.new(2) do |n|
      -> { attempt(Raffia::TimeoutError) { condition.wait(timeout: 0.001 * (n + 1)) } }
    end
    signal = -> { nap(0.001) || condition.signal(:news) }
    *got, sent = Raffia.run { |scope| in_tasks(scope, [*waits, signal]).map(&:value) }
    check_equal(sent ? 1 : 0, got.count(:news), "parties that were woken")
  end
end

Simulations.of "task/select", covers: %w[task/channel], **options do
  model "a push beside a select's timeout, in all orders", exhaustive: true, runs: 100 do
    channels = Array.new(2) { Raffia::Channel.new(0) }
    got, put = Raffia.run do |scope|
      select = lambda do
        Raffia.select(timeout: 0.001) do |on|
          channels.each { |channel| on.pop(channel) }
          on.timeout { nil }
        end
      end
      push = -> { nap(0.001) || put?(channels.last, :item) }
      in_tasks(scope, [select, push]).map(&:value)
    end
    check_equal(put, got == :item, "exchanged")
  end
end
