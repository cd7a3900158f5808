# frozen_string_literal: true

require_relative "scheduler_case"

# Timeout.timeout without a class is seen by no `rescue` of the code in its block, as on a thread.
# The versions of Ruby 3.3 and 3.4 hand Timeout::Error to the hook, later ones an exception of their
# own.
module SchedulerTimeoutSuite
  def test_code_in_the_block_does_not_rescue_the_limit
    on_scheduler do
      seen = []
      error = assert_raises(Timeout::Error) { limit(0.005) { retrying(seen) } }
      assert_equal "execution expired", error.message
      assert_empty seen
    end
  end

  def test_the_block_sees_the_exception_of_timeouts_on_threads
    on_scheduler do
      seen = nil
      assert_raises(Timeout::Error) { limit(0.002) { sleep_and_see { |error| seen = error } } }
      assert_instance_of Timeout::ExitException, seen
    end
  end

  def test_an_outer_limit_passes_through_the_inner_one
    on_scheduler do
      outcome = nil
      assert_raises(Timeout::Error) do
        limit(0.003) { outcome = rescued { limit(100) { sleep } } }
      end
      assert_nil outcome
    end
  end

  def test_the_hook_takes_an_exception_too
    on_scheduler do |scheduler|
      error = Timeout::ExitException.new("late")
      raised = assert_raises(Timeout::ExitException) do
        scheduler.timeout_after(0.002, error, "execution expired") { sleep }
      end
      assert_same error, raised
    end
  end

  def test_a_thread_is_joined_with_a_limit_that_converts_itself
    limit = Struct.new(:to_f).new(0.002)
    on_scheduler do
      thread = Thread.new { Thread.stop }
      assert_nil thread.join(limit)
      assert_raises(TypeError) { thread.join("1") }
    ensure
      thread.kill.join
    end
  end

  private

  def limit(seconds, &)
    Fiber.current_scheduler.timeout_after(seconds, Timeout::Error, "execution expired", &)
  end

  # A driver that connects again after what it takes for an error of the network.
  def retrying(seen)
    20.times { rescued { sleep(0.001) }&.then { |error| seen << error } }
  end

  def rescued
    yield
    nil
  rescue => error
    error
  end

  def sleep_and_see
    sleep
  rescue Exception => error # standard:disable Lint/RescueException
    yield error
    raise
  end

  SchedulerCase.run(self)
end
