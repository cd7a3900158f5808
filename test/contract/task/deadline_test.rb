# frozen_string_literal: true

require_relative "task_case"

module TaskDeadlineSuite
  SHORT = 0.005
  # Before it passes something is begun, on a busy machine too.
  SOON = 0.1

  def test_the_value_when_it_is_in_time
    assert_equal(:value, on_scheduler { Raffia.timeout(100) { sleep(0.001) && :value } })
  end

  def test_every_wait_ends_in_time
    reader, writer = IO.pipe
    waits = {
      "sleep" => -> { sleep },
      "io" => -> { reader.readpartial(1) },
      "queue" => -> { Thread::Queue.new.pop },
      "channel" => -> { Raffia::Channel.new.pop },
      "semaphore" => -> { Raffia::Semaphore.new(1).acquire.acquire },
      "scope" => -> { Raffia::Scope.open { |scope| scope.spawn { sleep } } },
      "join" => -> { Raffia::Scope.open { |scope| scope.spawn { Raffia::Channel.new.pop }.value } }
    }
    waits.each do |name, wait|
      error = assert_raises(Raffia::TimeoutError, name) do
        on_scheduler { Raffia.timeout(SHORT, &wait) }
      end
      assert_equal SHORT, error.seconds
      assert_nil error.cause
      assert_match(/#{SHORT} s/o, error.message)
    end
  ensure
    [reader, writer].each(&:close)
  end

  def test_where_it_waited_is_in_the_backtrace
    error = assert_raises(Raffia::TimeoutError) do
      on_scheduler { Raffia.timeout(SHORT) { waiting_here } }
    end
    assert_match(/waiting_here/, error.backtrace.join("\n"))
  end

  def waiting_here = sleep

  def test_bad_arguments
    [-1, -0.5, "1", nil, Float::NAN, Complex(1, 1)].each do |seconds|
      error = assert_raises(Raffia::ConfigError, seconds.inspect) do
        Raffia.timeout(seconds) { flunk }
      end
      assert_includes error.message, seconds.inspect
    end
  end

  def test_zero_ends_the_first_wait
    assert_equal(:value, on_scheduler { Raffia.timeout(0) { :value } })
    assert_raises(Raffia::TimeoutError) { on_scheduler { Raffia.timeout(0) { sleep } } }
    assert_raises(Raffia::TimeoutError) do
      on_scheduler { Raffia.timeout(0) { Raffia::Channel.new.pop } }
    end
  end

  def test_for_ever
    on_scheduler { Raffia.timeout(Float::INFINITY) { assert_nil Raffia.deadline } }
  end

  def test_the_deadline_that_the_code_works_under
    on_scheduler do
      assert_nil Raffia.deadline
      Raffia.timeout(100) do
        deadline = Raffia.deadline
        assert_in_delta 100, deadline.remaining, 10
        refute_predicate deadline, :expired?
        assert_nil deadline.check!
        assert Ractor.shareable?(deadline)
      end
      assert_nil Raffia.deadline
    end
  end

  def test_the_inner_one_can_only_shorten
    on_scheduler do
      Raffia.timeout(100) do
        outer = Raffia.deadline
        Raffia.timeout(200) { assert_same outer, Raffia.deadline }
        Raffia.timeout(50) { assert_operator Raffia.deadline.at, :<, outer.at }
        assert_same outer, Raffia.deadline
      end
    end
  end

  def test_an_outer_deadline_is_not_taken_for_the_inner_one
    steps = []
    error = assert_raises(Raffia::TimeoutError) do
      on_scheduler do
        Raffia.timeout(SHORT) do
          begin
            Raffia.timeout(SHORT * 0.999) { Raffia.shield { sleep(SHORT * 2) } }
          rescue Raffia::TimeoutError
            steps << :inner
          end
          begin
            Raffia.timeout(100) { sleep }
          rescue Raffia::TimeoutError
            steps << :wrong
          end
          steps << :went_on
        end
      end
    end
    assert_equal SHORT, error.seconds
    # Both are past at the shield's end, and the outer one goes first.
    assert_empty steps
  end

  def test_an_inner_deadline_leaves_the_outer_block_running
    value = on_scheduler do
      Raffia.timeout(100) do
        assert_raises(Raffia::TimeoutError) { Raffia.timeout(SHORT) { sleep } }
        sleep(0.001) && :went_on
      end
    end
    assert_equal :went_on, value
  end

  def test_rescue_does_not_swallow_it
    assert_raises(Raffia::TimeoutError) do
      on_scheduler do
        Raffia.timeout(SHORT) do
          sleep
        rescue
          :swallowed
        end
      end
    end
  end

  def test_inside_it_is_a_cancel_with_the_timeout_as_its_reason
    seen = nil
    assert_raises(Raffia::TimeoutError) do
      on_scheduler do
        Raffia.timeout(SHORT) do
          sleep
        rescue Raffia::Cancel => cancel
          seen = cancel.reason
          raise
        end
      end
    end
    assert_instance_of Raffia::TimeoutError, seen
  end

  def test_it_travels_into_tasks
    task = nil
    assert_raises(Raffia::TimeoutError) do
      on_scheduler do
        Raffia.timeout(SOON) do
          deadline = Raffia.deadline
          Raffia::Scope.open do |scope|
            task = scope.spawn { assert_same(deadline, Raffia.deadline) && sleep }
          end
        end
      end
    end
    assert_equal :cancelled, task.status
  end

  def test_a_task_that_misses_its_own_deadline_fails
    task = nil
    assert_raises(Raffia::TimeoutError) do
      in_scope { |scope| Raffia.timeout(SOON) { task = scope.spawn { sleep } } }
    end
    assert_equal :failed, task.status
  end

  # When the deadline is around the scope, its end must come through the scope's owner, where no
  # rescue in between can take it for an error of the work.
  def test_the_outer_deadline_ends_tasks_quietly
    swallowed = false
    assert_raises(Raffia::TimeoutError) do
      on_scheduler do
        Raffia.timeout(SHORT) do
          Raffia.timeout(100) { Raffia::Scope.open { |scope| 3.times { scope.spawn { sleep } } } }
        rescue Raffia::TimeoutError
          swallowed = true
        end
      end
    end
    refute swallowed
  end

  def test_it_travels_into_threads
    error = on_scheduler do
      thread = Raffia.timeout(SOON) do
        Thread.new { assert_raises(Raffia::TimeoutError) { Raffia::Channel.new.pop } }
      end
      thread.value
    end
    assert_equal SOON, error.seconds
  end

  def test_it_travels_into_plain_fibers
    error = nil
    on_scheduler do
      Raffia.timeout(SOON) do
        Fiber.schedule { error = assert_raises(Raffia::TimeoutError) { Raffia::Channel.new.pop } }
      end
      settle { error }
    end
    assert_equal SOON, error.seconds
  end

  def test_shield_holds_it_off
    steps = []
    assert_raises(Raffia::TimeoutError) do
      on_scheduler do
        Raffia.timeout(SHORT) do
          Raffia.shield do
            assert_nil Raffia.deadline
            sleep(SHORT * 2)
            Raffia::Channel.new.pop(timeout: SHORT) rescue steps <<
              :channel # standard:disable Style/RescueModifier
            Raffia::Scope.open { |scope| scope.spawn { sleep(0.001) && steps << :task } }
          end
          steps << :went_on
        end
      end
    end
    assert_equal %i[channel task], steps
  end

  def test_check_ends_work_that_never_waits
    assert_raises(Raffia::TimeoutError) do
      on_scheduler { Raffia.timeout(SHORT) { loop { Raffia.deadline.check! } } }
    end
  end

  # A wait that ends at the very moment when the time is up.
  def test_a_late_alarm_does_not_interrupt_code_behind_the_block
    outcomes = Hash.new(0)
    in_scope do |scope|
      queue = Thread::Queue.new
      50.times do |i|
        seconds = 0.001 + (i % 5) * 0.0002
        scope.spawn { sleep(seconds) && queue << 1 }
        begin
          Raffia.timeout(seconds) { queue.pop }
          outcomes[:value] += 1
        rescue Raffia::TimeoutError
          outcomes[:late] += 1
        end
        3.times { sleep(0) }
        queue.clear
      end
    end
    assert_equal 50, outcomes.values.sum
  end

  def test_many_at_once
    late = in_scope do |scope|
      tasks = Array.new(300) do |i|
        scope.spawn do
          i.even? ? Raffia.timeout(SHORT) { sleep } : Raffia.timeout(100) { sleep(SHORT) }
        rescue Raffia::TimeoutError
          :late
        end
      end
      tasks.map(&:value).count(:late)
    end
    assert_equal 150, late
  end

  def test_a_shorter_one_that_is_set_later
    in_scope do |scope|
      long = scope.spawn { Raffia.timeout(100) { sleep } }
      assert_raises(Raffia::TimeoutError) { Raffia.timeout(SHORT) { sleep } }
      assert_predicate long, :alive?
      long.cancel
    end
  end
end

TaskCase.run(TaskDeadlineSuite)
