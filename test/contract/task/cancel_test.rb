# frozen_string_literal: true

require_relative "task_case"

module TaskCancelSuite
  Boom = Class.new(StandardError)

  def test_status_and_value_of_a_task_that_returns
    in_scope do |scope|
      gate = Raffia::Channel.new
      task = scope.spawn { gate.pop }
      assert_equal :running, task.status
      assert_predicate task, :alive?
      gate << 5
      assert_equal 5, task.value
      assert_equal 5, task.value
      assert_equal :done, task.status
      refute_predicate task, :alive?
      refute task.cancel
      assert_nil task.error
      assert_match(/done/, task.inspect)
    end
  end

  def test_value_raises_what_the_task_raised
    error = assert_raises(Boom) do
      in_scope do |scope|
        task = scope.spawn { raise Boom }
        raised = assert_raises(Boom) { task.value }
        assert_same task.error, raised
        assert_equal :failed, task.status
        raise raised
      end
    end
    assert_empty Raffia.suppressed(error)
  end

  def test_value_of_a_cancelled_task
    in_scope do |scope|
      task = scope.spawn { sleep }
      assert task.cancel("why")
      error = assert_raises(Raffia::Cancelled) { task.value }
      assert_equal "why", error.reason
      assert_match(/why/, error.message)
      assert_equal :cancelled, task.status
      refute task.cancel("again")
    end
  end

  def test_cancelling_a_task_leaves_its_siblings_alone
    value = in_scope do |scope|
      gate = Raffia::Channel.new
      sibling = scope.spawn { gate.pop }
      scope.spawn { sleep }.cancel
      gate << :alive
      sibling.value
    end
    assert_equal :alive, value
  end

  def test_the_waits_of_core_are_interrupted
    reader, writer = IO.pipe
    lock = Thread::Mutex.new
    waits = {
      "sleep" => -> { sleep },
      "timed sleep" => -> { sleep(100) },
      "io" => -> { reader.readpartial(1) },
      "io wait" => -> { reader.wait_readable(100) },
      "queue" => -> { Thread::Queue.new.pop },
      "sized queue" => -> { Thread::SizedQueue.new(1).tap { |queue| queue << 1 } << 2 },
      "mutex" => -> { lock.lock },
      "condition variable" => -> {
        Thread::Mutex.new.then { |m| m.synchronize { Thread::ConditionVariable.new.wait(m) } }
      },
      "thread" => -> { @thread.join }
    }
    @thread = Thread.new { Thread.stop }
    lock.lock
    waits.each do |name, wait|
      seen = nil
      in_scope do |scope|
        task = scope.spawn do
          wait.call
        rescue Exception => error # rubocop:disable Lint/RescueException
          seen = error
          raise
        end
        assert task.cancel(name)
        task.join
        assert_equal :cancelled, task.status, name
      end
      assert_instance_of Raffia::Cancel, seen, name
      assert_equal name, seen.reason
    end
  ensure
    @thread.kill.join
    [reader, writer].each(&:close)
  end

  def test_the_waits_of_raffia_are_interrupted
    full = Raffia::Channel.new(1) << 1
    held = Raffia::Semaphore.new(1).acquire
    waits = {
      "pop" => ->(_) { Raffia::Channel.new.pop },
      "push" => ->(_) { full << 2 },
      "select" => ->(_) { Raffia.select { |on| on.pop(Raffia::Channel.new) } },
      "semaphore" => ->(_) { held.acquire },
      "condition" => ->(_) { Raffia::Condition.new.wait },
      "barrier" => ->(_) { Raffia::Barrier.new(2).wait },
      "rate limiter" => ->(_) { Raffia::RateLimiter.new(1, per: 1000).acquire.acquire },
      "join" => ->(scope) { scope.spawn { sleep }.tap { |task| @other = task }.join },
      "race" => ->(_) { Raffia.race([-> { sleep }]) },
      "retry" => ->(_) { Raffia.retry(backoff: 100) { raise Boom } }
    }
    waits.each do |name, wait|
      in_scope do |scope|
        task = scope.spawn { wait.call(scope) }
        assert task.cancel(name)
        task.join
        @other&.cancel
        assert_equal :cancelled, task.status, name
      end
    end
    assert_equal 0, held.waiting
  end

  def test_each_further_wait_raises_again
    raised = []
    in_scope do |scope|
      task = scope.spawn do
        sleep
      ensure
        3.times do
          Raffia::Channel.new.pop
        rescue Raffia::Cancel => cancel
          raised << cancel.reason
        end
      end
      task.cancel(:why)
    end
    assert_equal %i[why why why], raised
  end

  def test_a_task_that_returns_a_value_all_the_same_is_done
    in_scope do |scope|
      task = scope.spawn do
        sleep
      rescue Raffia::Cancel
        :stubborn
      end
      task.cancel
      assert_equal :stubborn, task.value
      assert_equal :done, task.status
    end
  end

  def test_an_error_while_being_cancelled_fails_the_task
    task = nil
    assert_raises(Boom) do
      in_scope do |scope|
        task = scope.spawn do
          sleep
        ensure
          raise Boom
        end
        task.cancel
      end
    end
    assert_equal :failed, task.status
  end

  def test_rescue_does_not_catch_a_cancellation
    in_scope do |scope|
      task = scope.spawn do
        sleep
      rescue
        :caught
      end
      task.cancel
      task.join
      assert_equal :cancelled, task.status
    end
  end

  def test_a_task_can_cancel_itself
    after = nil
    in_scope do |scope|
      task = scope.spawn do
        Raffia::Task.current.cancel("by itself")
        after = :ran_on
        sleep
        flunk("it waited")
      end
      task.join
      assert_equal :cancelled, task.status
    end
    assert_equal :ran_on, after
  end

  # The interrupt is still on its way when the task ends; it must not strike anything that comes
  # later.
  def test_a_task_that_cancels_itself_and_ends
    in_scope do |scope|
      assert_equal(5, scope.spawn { Raffia::Task.current.cancel && 5 }.value)
      assert_equal(:fine, scope.spawn { sleep(0.001) && :fine }.value)
    end
  end

  def test_cancel_from_another_thread
    in_scope do |scope|
      tasks = [scope.spawn { Raffia::Channel.new.pop },
        scope.spawn { Raffia::Semaphore.new(1).acquire.acquire }]
      # Core's waits need fiber_interrupt for it.
      unless scheduler_name == :plain
        tasks << scope.spawn { sleep } << scope.spawn { Thread::Queue.new.pop }
      end
      Thread.new { tasks.each(&:cancel) }.join
      tasks.each(&:join)
      assert_equal [:cancelled], tasks.map(&:status).uniq
    end
  end

  def test_join
    in_scope do |scope|
      gate = Raffia::Channel.new
      task = scope.spawn { gate.pop }
      assert_nil task.join(0)
      assert_nil task.join(0.001)
      gate << 1
      assert_same task, task.join
      assert_same task, task.join(0)
      assert_raises(Raffia::ConfigError) { task.join(-1) }
    end
  end

  def test_many_may_wait_for_a_task_threads_too
    values = in_scope do |scope|
      gate = Raffia::Channel.new
      task = scope.spawn { gate.pop }
      waiting = Array.new(3) { scope.spawn { task.value } }
      thread = Thread.new { task.value }
      settle { thread.status == "sleep" }
      gate << 7
      waiting.map(&:value) + [thread.value]
    end
    assert_equal [7] * 4, values
  end

  def test_a_task_cannot_wait_for_itself
    in_scope do |scope|
      error = scope.spawn { assert_raises(Raffia::Error) { Raffia::Task.current.join } }.value
      assert_match(/itself/, error.message)
    end
  end

  def test_current
    on_scheduler do
      assert_nil Raffia::Task.current
      Raffia::Scope.open do |scope|
        assert_nil Raffia::Task.current
        task = scope.spawn { Raffia::Scope.open { Raffia::Task.current } }
        assert_same task, task.value
        assert_same scope, task.scope
        # A plain fiber that a task starts belongs to no task, though it inherits the task's
        # storage.
        plain = nil
        scope.spawn { Fiber.schedule { plain = Raffia::Task.current } }.join
        assert_nil plain
      end
    end
  end

  def test_shield_runs_to_its_end
    steps = []
    in_scope do |scope|
      task = scope.spawn do
        Raffia.shield do
          steps << :begun
          sleep(0.002)
          Raffia::Semaphore.new(1).acquire(timeout: 1)
          steps << :ended
        end
        steps << :went_on
      end
      task.cancel("why")
      task.join
      assert_equal :cancelled, task.status
    end
    assert_equal %i[begun ended], steps
  end

  def test_shield_in_ensure_can_wait
    cleaned = nil
    in_scope do |scope|
      task = scope.spawn do
        sleep
      ensure
        cleaned = Raffia.shield do
          sleep(0.001) &&
            Raffia::Scope.open { |inner| inner.spawn { sleep(0.001) && :clean }.value }
        end
      end
      task.cancel
      task.join
      assert_equal :cancelled, task.status
    end
    assert_equal :clean, cleaned
  end

  # The task's wait is over and it runs into the shield while the interrupt is on its way.
  def test_a_cancellation_on_its_way_does_not_break_a_shield
    20.times do
      begun = ended = went_on = false
      in_scope do |scope|
        queue = Thread::Queue.new
        task = scope.spawn do
          queue.pop
          begun = true
          Raffia.shield { sleep(0.001) && ended = true }
          went_on = true
        end
        queue << 1
        task.cancel
        task.join
        assert_equal :cancelled, task.status
      end
      assert_equal begun, ended
      refute went_on
    end
  end

  def test_a_cancellation_that_came_before_waits_for_the_shields_end
    steps = []
    in_scope do |scope|
      scope.spawn do
        Raffia::Task.current.cancel
        Raffia.shield { sleep(0.001) && steps << :ended }
        steps << :went_on
      end
    end
    assert_equal [:ended], steps
  end

  def test_several_cancellations_on_their_way_wait_for_the_shields_end
    steps = []
    outer = on_scheduler do
      Raffia::CancellationStack.enter(:outer) do |outer|
        Raffia::CancellationStack.enter(:inner) do |inner|
          [inner, outer].each { |region| region.cancel(:why) }
          Raffia.shield { sleep(0.001) && steps << :ended }
          steps << :went_on
        end
      rescue Raffia::Cancel => cancel
        # The outer one of both.
        cancel.origin
      end
    end
    assert_equal [:outer, [:ended]], [outer, steps]
  end

  def test_a_shield_that_ends_with_an_error
    in_scope do |scope|
      task = scope.spawn do
        begin
          Raffia.shield do
            Raffia::Task.current.cancel("held")
            raise Boom
          end
        rescue Boom
          nil
        end
        sleep
      end
      task.join
      assert_equal :cancelled, task.status
    end
  end

  def test_shields_nest
    steps = []
    in_scope do |scope|
      task = scope.spawn do
        Raffia.shield do
          Raffia.shield { sleep(0.001) }
          steps << :inner
          sleep(0.001)
          steps << :outer
        end
        steps << :went_on
      end
      task.cancel
    end
    assert_equal %i[inner outer], steps
  end

  def test_cancelling_inside_of_a_shield_works
    in_scope do |scope|
      Raffia.shield do
        task = scope.spawn { sleep }
        assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.001) { sleep } }
        task.cancel
        task.join
        assert_equal :cancelled, task.status
      end
    end
  end

  def test_cancel_reaches_into_an_enumerator
    skip "an enumerator's fiber cannot park in a scheduler that yields" if scheduler_name == :plain
    in_scope do |scope|
      numbers = Enumerator.new { |out| loop { out << Raffia::Channel.new.pop } }
      task = scope.spawn { numbers.next }
      task.cancel
      task.join
      assert_equal :cancelled, task.status
    end
  end

  # Whatever the moment at which the cancellation comes, it ends the task, and nothing after it.
  def test_storm
    random = Random.new(Minitest.seed)
    in_scope do |scope|
      queue = Thread::Queue.new
      channel = Raffia::Channel.new(1)
      waits = [-> { sleep(0) }, -> { queue.pop }, -> { channel.pop }, -> { sleep(0.0005) },
        -> { channel << 1 },
        -> { Raffia.shield { sleep(0) } },
        -> { Raffia.timeout(0.0005) { sleep } rescue nil }] # standard:disable Style/RescueModifier
      feeder = scope.spawn do
        loop {
          begin
            queue << 1 and channel.pop(timeout: 0.001) and sleep(0)
          rescue
            nil
          end
        }
      end # standard:disable Style/RescueModifier
      200.times do
        task = scope.spawn { loop { waits.sample(random: random).call } }
        random.rand(3).times { sleep(0) }
        task.cancel
        task.join
        assert_equal :cancelled, task.status
        # Strays would interrupt this sleep, or cut it short.
        sleep(0)
      end
      feeder.cancel
    end
  end
end

TaskCase.run(TaskCancelSuite)
