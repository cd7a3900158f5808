# frozen_string_literal: true

Simulations.of "task/scope", covers: %w[task/task task/cancellation_stack task/cancel_scope
  task/waiter task/alarm task/shield] do
  model "a scope ends after all of its tasks, with all of their errors", runs: 60 do
    running = 0
    raised = []
    scopes = []
    # A task: waits, fails, or opens a scope of its own.
    work = lambda do |depth|
      running += 1
      nap(pause)
      case choose(depth.zero? ? 3 : 4)
      when 0
        raised << (error = IOError.new("error #{raised.size}"))
        raise error
      when 3
        Raffia::Scope.open do |scope|
          scopes << scope
          2.times { scope.spawn { work.call(depth - 1) } }
          nap(pause)
        end
      else nap(pause)
      end
    ensure
      running -= 1
    end
    scope = nil
    error = attempt(IOError) do
      Raffia.run do |root|
        scope = root
        3.times { root.spawn { work.call(1) } }
        nap(pause)
        nil
      end
    end
    check_equal(0, running, "tasks that run after their scope")
    check([scope, *scopes].all? { |one| one.size.zero? }, "tasks are left")
    check_equal(raised.empty?, error.nil?, "whether an error came")
    seen = [error, *scope.suppressed, *scopes.flat_map(&:suppressed)].compact
    check((raised - seen).empty?, "errors were lost: #{raised - seen}")
  end

  model "the first error cancels the siblings", runs: 30 do
    ends = []
    error = attempt(IOError) do
      Raffia.run do |scope|
        3.times do
          scope.spawn do
            nap(1000 + choose(3))
          ensure
            ends << sim.now
          end
        end
        scope.spawn { nap(pause) || raise(IOError, "first") }
        one_of(-> { nap(2000) }, -> {}).call
      end
    end
    check_equal("first", error.message, "error")
    check(ends.size == 3 && ends.all? { |time| time < 1 }, "ends of siblings: #{ends}")
  end

  model "a scope whose block is left ends its tasks first" do
    running = 0
    leave = one_of(-> { throw(:left, IOError) }, -> { raise IOError })
    Raffia.run do
      left = catch(:left) do
        Raffia::Scope.open do |scope|
          2.times do
            scope.spawn do
              running += 1
              nap(1)
            ensure
              nap(0.001)
              running -= 1
            end
          end
          nap(pause(1))
          leave.call
        end
      rescue IOError => error
        error.class
      end
      check_equal([IOError, 0], [left, running], "left by, and tasks that run")
    end
  end

  model "a task that gets no fiber is not waited for", runs: 5 do
    Raffia.run do |scope|
      scheduler = Fiber.scheduler
      scheduler.define_singleton_method(:launch) { |&_| raise FiberError, "no memory" }
      error = attempt(FiberError) { scope.spawn { nil } }
      scheduler.singleton_class.remove_method(:launch)
      check_equal([FiberError, 0], [error.class, scope.size], "error, and tasks")
      scope.spawn { nap(0.001) }
    end
  end
end
