# frozen_string_literal: true

require "support/jobs_case"

class JobsWorkerPeriodicTaskTest < TestSupport::JobsCase
  def test_it_runs_when_its_block_says
    runs = 0
    run_until(periodic(longest: 60) { (runs += 1) && 0.001 }) { runs >= 3 }
  end

  def test_it_runs_earlier_when_it_is_woken
    runs = 0
    task = periodic(longest: 60) { (runs += 1) && nil }
    run_until(task) { task.wake && runs >= 3 || runs >= 3 }
  end

  def test_it_is_not_woken_too_soon_after_its_last_run
    runs = 0
    task = periodic(longest: 60) { (runs += 1) && nil }
    run_until(task) { runs == 1 }
    Raffia.run do |scope|
      running = scope.spawn { task.run }
      10.times { sleep(0.001) && task.wake(after: 3600) }
      running.cancel(:stop)
    end
    assert_operator(runs, :<=, 2)
  end

  private

  def periodic(longest:, &)
    Worker::Maintenance::PeriodicTask.new(Worker::Backoff.new(@log), longest: longest, &)
  end

  def run_until(task)
    Raffia.run do |scope|
      running = scope.spawn { task.run }
      Raffia.timeout(30) { sleep(0.001) until yield }
      running.cancel(:stop)
    end
  end
end
