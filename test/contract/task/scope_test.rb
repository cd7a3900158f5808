# frozen_string_literal: true

require_relative "task_case"
require "minitest/mock"

module TaskScopeSuite
  Boom = Class.new(StandardError)

  def test_returns_the_blocks_value_after_all_tasks
    ended = []
    value = in_scope do |scope|
      3.times { |i| scope.spawn { sleep(0.002) and ended << i } }
      :value
    end
    assert_equal :value, value
    assert_equal [0, 1, 2], ended.sort
  end

  def test_tasks_run_at_the_same_time
    value = in_scope do |scope|
      gate = Raffia::Channel.new
      first = scope.spawn { gate.pop }
      second = scope.spawn { gate << :met }
      second.join
      first.value
    end
    assert_equal :met, value
  end

  def test_the_first_error_cancels_the_siblings_and_is_raised
    seen = nil
    error = assert_raises(Boom) do
      in_scope do |scope|
        scope.spawn do
          sleep
        rescue Raffia::Cancel => cancel
          seen = cancel
          raise
        end
        scope.spawn { raise Boom, "first" }
        sleep
      end
    end
    assert_equal "first", error.message
    assert_same error, seen.reason
    assert_same error, seen.cause
  end

  def test_an_error_ends_the_block_wherever_it_waits
    reader, writer = IO.pipe
    waits = {
      "sleep" => -> { sleep },
      "channel" => -> { Raffia::Channel.new.pop },
      "queue" => -> { Thread::Queue.new.pop },
      "io" => -> { reader.read(1) },
      "task" => ->(scope) { scope.spawn { sleep }.join },
      "nested scope" => -> { Raffia::Scope.open { |inner| inner.spawn { sleep } } },
      "thread" => -> { Thread.new { sleep }.tap { |thread| @sleeper = thread }.join }
    }
    waits.each do |name, wait|
      assert_raises(Boom, name) do
        in_scope do |scope|
          scope.spawn { sleep(0.001) and raise Boom }
          wait.arity.zero? ? wait.call : wait.call(scope)
        ensure
          @sleeper&.kill&.join
        end
      end
    end
  ensure
    [reader, writer].each(&:close)
  end

  def test_later_errors_are_kept
    scope = nil
    error = assert_raises(Boom) do
      in_scope do |opened|
        scope = opened
        opened.spawn do
          sleep
        ensure
          raise Boom, "second"
        end
        opened.spawn { raise Boom, "first" }
      end
    end
    assert_equal "first", error.message
    assert_equal ["second"], scope.suppressed.map(&:message)
    assert_equal ["second"], Raffia.suppressed(error).map(&:message)
  end

  def test_an_error_of_the_block_cancels_the_tasks
    task = nil
    error = assert_raises(Boom) do
      in_scope do |scope|
        task = scope.spawn { sleep }
        raise Boom
      end
    end
    assert_equal :cancelled, task.status
    assert_same error, assert_raises(Raffia::Cancelled) { task.value }.reason
    assert_empty Raffia.suppressed(error)
  end

  def test_an_error_that_is_no_standard_error_goes_the_same_way
    task = nil
    assert_raises(SystemExit) do
      in_scope do |scope|
        task = scope.spawn { sleep }
        scope.spawn { exit(3) }
      end
    end
    assert_equal :cancelled, task.status
  end

  def test_leaving_the_block_cancels_the_tasks
    tasks = []
    leave = lambda do |scope, way|
      cleaned = false
      tasks << scope.spawn do
        sleep
      ensure
        Raffia.shield { sleep(0.001) }
        cleaned = true
      end
      way.call
    ensure
      tasks << -> { cleaned }
    end
    assert_equal(1,
      on_scheduler {
        Raffia::Scope.open { |scope| leave.call(scope, -> { true }) and break 1 } ||
        1
      })
    assert_equal(2,
      on_scheduler {
        catch(:out) { Raffia::Scope.open { |scope| leave.call(scope, -> { throw :out, 2 }) } }
      })
    assert_equal(3, on_scheduler { returning { |scope| leave.call(scope, -> {}) } })
    statuses, cleaned = tasks.partition { |entry| entry.is_a?(Raffia::Task) }
    assert_equal [:cancelled] * 3, statuses.map(&:status)
    assert(cleaned.all?(&:call))
  end

  def returning
    Raffia::Scope.open do |scope|
      yield scope
      return 3
    end
  end

  def test_an_error_during_the_leaving_is_raised
    assert_raises(Boom) do
      on_scheduler do
        Raffia::Scope.open do |scope|
          scope.spawn do
            sleep
          ensure
            raise Boom
          end
          break
        end
      end
    end
  end

  def test_tasks_belong_to_the_scope_they_are_spawned_on
    order = []
    ended = Thread::Queue.new
    in_scope do |outer|
      Raffia::Scope.open do |inner|
        inner.spawn do
          outer.spawn { ended.pop and order << :outer }
          order << :inner
        end
      end
      order << :inner_ended
      ended << true
    end
    assert_equal %i[inner inner_ended outer], order
  end

  def test_cancel_ends_the_scope_without_an_error
    task = nil
    value = in_scope do |scope|
      task = scope.spawn { sleep }
      assert scope.cancel("enough")
      refute scope.cancel("again")
      assert_predicate scope, :cancelled?
      :value
    end
    assert_equal :value, value
    assert_equal :cancelled, task.status
    assert_equal "enough", assert_raises(Raffia::Cancelled) { task.value }.reason
  end

  def test_cancel_ends_the_block_where_it_waits
    value = in_scope do |scope|
      scope.spawn { sleep(0.001) and scope.cancel }
      sleep
      flunk("the block went on")
    end
    assert_nil value
  end

  def test_a_task_of_a_cancelled_scope_never_starts
    in_scope do |scope|
      scope.cancel("closing")
      task = scope.spawn { flunk("it started") }
      assert_equal :cancelled, task.status
      assert_equal "closing", assert_raises(Raffia::Cancelled) { task.value }.reason
    end
  end

  def test_a_scope_that_has_ended_takes_no_tasks
    on_scheduler do
      scope = Raffia::Scope.open { |opened| opened }
      assert_raises(Raffia::Closed) { scope.spawn {} }
      refute scope.cancel
      assert_match(/ended/, scope.inspect)
    end
  end

  def test_a_scope_serves_its_own_thread_only
    in_scope do |scope|
      error = Thread.new { scope.spawn {} rescue $! }.value # standard:disable Style/RescueModifier
      assert_instance_of Raffia::Error, error
      assert_match(/channel/, error.message)
    end
  end

  def test_spawn_needs_a_block
    in_scope { |scope| assert_raises(Raffia::ConfigError) { scope.spawn } }
  end

  def test_a_task_for_which_there_is_no_fiber
    in_scope do |scope|
      none = ->(*) { raise FiberError, "can't set a guard page" }
      starter, name = Fiber.scheduler.respond_to?(:launch) ? [Fiber.scheduler, :launch] :
        [Fiber, :schedule]
      starter.stub(name, none) { assert_raises(FiberError) { scope.spawn { flunk } } }
      assert_equal 0, scope.size
      refute_predicate scope, :cancelled?
    end
  end

  def test_inspect
    in_scope do |scope|
      task = scope.spawn { sleep }
      assert_match(/tasks=1>/, scope.inspect)
      assert_match(/running/, task.inspect)
      scope.cancel
      assert_match(/cancelled/, scope.inspect)
    end
  end

  def test_cancel_from_another_thread
    in_scope do |scope|
      task = scope.spawn { Raffia::Channel.new.pop }
      Thread.new { scope.cancel }.join
      task.join
      assert_equal :cancelled, task.status
    end
  end

  def test_an_outer_cancel_ends_inner_scopes_from_the_inside
    order = []
    in_scope do |scope|
      task = scope.spawn do
        Raffia::Scope.open do |inner|
          inner.spawn do
            sleep
          ensure
            order << :inner_task
          end
          sleep
        ensure
          order << :inner_block
        end
      ensure
        order << :task
      end
      task.cancel("from outside")
      task.join
      assert_equal :cancelled, task.status
    end
    assert_equal %i[inner_block inner_task task], order
  end

  def test_the_same_while_the_inner_scope_waits_for_its_tasks
    in_scope do |scope|
      inner_task = nil
      task = scope.spawn { Raffia::Scope.open { |inner| inner_task = inner.spawn { sleep } } }
      task.cancel("from outside")
      task.join
      assert_equal %i[cancelled cancelled], [task.status, inner_task.status]
      assert_equal "from outside", assert_raises(Raffia::Cancelled) { inner_task.value }.reason
    end
  end

  def test_many_tasks
    assert_equal(2000,
      in_scope { |scope|
        Array.new(2000) { |i| scope.spawn { sleep(0) and i } }.map(&:value).uniq
        .size
      })
  end
end

TaskCase.run(TaskScopeSuite)
