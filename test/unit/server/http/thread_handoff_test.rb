# frozen_string_literal: true

require "test_helper"
require "raffia"
require "raffia/server"
require "raffia/server/worker"

# The wait of a connection's fiber for a thread that runs its request.
class ServerThreadHandoffTest < Raffia::TestCase
  TimeLimit = Raffia::Server::Admission::TimeLimit
  # Seconds; by then the application has begun.
  SOON = 0.2

  def setup
    @pool = Raffia::Pool.new(on: :threads, workers: 2)
    @limiter = Raffia::Server::Admission::ConcurrencyLimiter.new(limit: 1)
    @handoff = Raffia::Server::HTTP::ThreadHandoff.new(@pool, @limiter)
    @handoff.reset
    @done = false
  end

  def teardown = @pool.terminate

  def run_request(limit = nil, &) = Raffia.run { @handoff.run(limit, &) }

  def test_the_block_runs_on_a_thread
    ran = nil
    run_request { ran = [@handoff.thread, Thread.current] }
    assert_same(*ran)
    refute_same Thread.current, ran.first
    assert_nil @handoff.thread
  end

  def test_a_deadline_interrupts_the_application
    raised = nil
    run_request(TimeLimit.new(SOON)) do
      @handoff.interruptible { sleep }
    rescue => error
      raised = error
    end
    assert_instance_of TimeLimit::Passed, raised
    refute_predicate @handoff, :abandoned?
  end

  def test_an_answer_takes_the_deadline_off
    run_request(TimeLimit.new(SOON)) do
      @handoff.answer
      @handoff.interruptible { sleep(SOON + 0.05) }
      @done = true
    end
    assert @done
    assert_predicate @handoff, :answered?
  end

  def test_the_deadline_of_a_body_outlives_that_of_the_application
    raised = nil
    limit = TimeLimit.new(SOON)
    run_request(limit) do
      @handoff.answer(limit.extend_by(2 * SOON))
      @handoff.interruptible do
        sleep(SOON + 0.05)
        @done = true
        sleep
      end
    rescue => error
      raised = error
    end
    assert @done
    assert_instance_of TimeLimit::Passed, raised
    refute_predicate @handoff, :abandoned?
  end

  def test_outside_of_interruptible_blocks_nothing_is_raised
    run_request(TimeLimit.new(SOON)) do
      sleep(SOON + 0.05)
      @done = true
    end
    assert @done
  end

  def test_a_request_that_steps_aside_lets_another_one_in
    Raffia.run do
      @limiter.enter
      @handoff.run(nil) do
        @handoff.release_slot
        Thread.pass until @limiter.admitted.zero?
      end
      assert_equal 1, @limiter.admitted
    end
  end

  def test_a_fiber_that_is_cancelled_interrupts_its_thread
    Raffia.run do |scope|
      task = scope.spawn do
        @handoff.run(nil) do
          @handoff.interruptible { sleep }
        ensure
          @done = true
        end
      end
      sleep(0.02)
      task.cancel(:drain)
    end
    assert @done
    refute_predicate @handoff, :abandoned?
  end
end
