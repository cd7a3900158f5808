# frozen_string_literal: true

Simulations.of "task/task", covers: %w[task/scope task/waiter task/spin_lock
  task/cancellation_stack task/cancel_scope] do
  model "all that wait for a task hear of its end", runs: 30 do
    ends = Raffia.run do |scope|
      task = scope.spawn do
        nap(pause(2))
        one_of(-> { :value }, -> { Raffia::Waiter.nap(1) && :value }).call
      end
      joiners = 2.times.map { Thread.new { attempt(Raffia::Cancelled) { task.value } } }
      fibers = 2.times.map { scope.spawn { attempt(Raffia::Cancelled) { task.value } } }
      impatient = scope.spawn { task.join(0.001) }
      nap(pause)
      task.cancel
      check([nil, task].include?(impatient.value), "join returned #{impatient.value.inspect}")
      (fibers + joiners).map(&:value).map { |value| value.is_a?(Symbol) ? value : :cancelled } +
        [(task.status == :done) ? :value : :cancelled]
    end
    check_equal(1, ends.uniq.size, "ends that were heard")
  end

  model "a cancel of a task that has ended or never begins" do
    began = false
    ended = late = nil
    Raffia.run do |root|
      ended = root.spawn { :done }.join
      root.spawn do
        Raffia::Scope.open do |scope|
          scope.cancel
          late = scope.spawn { began = true }
        end
      end
    end
    check_equal([false, false], [ended.cancel, late.cancel], "cancels that counted")
    check_equal([:cancelled, false], [late.status, began], "end, and whether it began")
  end
end
