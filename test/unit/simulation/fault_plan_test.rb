# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"
require "tempfile"

class SimulationFaultPlanTest < Raffia::TestCase
  Simulation = Raffia::Simulation

  def test_a_planned_fault_happens_at_the_nth_visit
    written = 0
    error = assert_raises(Simulation::Failed) do
      Simulation.run do |sim|
        sim.inject(Errno::ENOSPC, at: "File#write", nth: 3)
        Tempfile.create("raffia") { |file| 5.times { written += file.write("a") } }
      end
    end
    assert_instance_of Errno::ENOSPC, error.cause
    assert_equal 2, written
    assert_includes error.message, "Errno::ENOSPC at File#write"
  end

  def test_a_planned_site
    assert_equal [false, true, false], Simulation.run { |sim|
      sim.inject(at: :late_answer, nth: 2)
      Array.new(3) { Simulation.fault?(:late_answer, 0) }
    }
  end

  def test_sites_are_on_in_a_quarter_of_all_runs
    on = Array.new(400) do |seed|
      Simulation.run(seed: seed) { |sim| Array.new(2) { sim.fault(:refuse, 1) }.all? }
    end
    assert_includes 60..140, on.count(true)
  end

  def test_sites_do_nothing_outside_of_a_run
    refute Array.new(100) { Simulation.fault?(:anything, 1.0) }.any?
    assert_equal [false] * 9, Simulation.run { |sim|
      Array.new(9) { sim.real { Simulation.fault?(:anything, 1.0) } }
    }
  end

  def test_no_fault_after_heal
    Simulation.explore(runs: 30, seed: 1, faults: {clock: 1.0}) do |sim|
      raise "no step" if Time.now == Time.utc(2000)

      sim.heal
      raise "a step" if Array.new(20) { Time.now }.uniq.size > 1
      raise "a site" if Array.new(20) { sim.fault(:site, 1) }.any?
    end.raise!
  end

  def test_a_budget
    Simulation.explore(runs: 30, seed: 1, faults: {clock: 1.0}, max_faults: 2) do
      times = Array.new(6) { Time.now }
      raise "not two steps" unless times.each_cons(2).count { |a, b| a != b } == 1
      raise "not from the first on" if times.first == Time.utc(2000)
    end.raise!
  end

  def test_swarm_draws_the_kinds_of_each_run_and_names_them
    failure = Simulation.explore(runs: 100, seed: 1, faults: :swarm) do
      raise "back" if Array.new(50) { Time.now }.any? { |time| time < Time.utc(2000) }
    end.failure
    assert_match(/on in this run: .*clock.*; happened: .*clock/, failure.message)
  end

  def test_a_failure_has_only_the_faults_that_it_needs
    failure = Simulation.explore(runs: 200, seed: 1, faults: {clock: 0.1, pause: 0.2}) do
      times = Array.new(20) { Time.now }
      Thread.new { sleep 1 }.join
      raise "an hour" if times.each_cons(2).any? { |a, b| b - a == 3600 }
    end.failure
    assert_equal "faults; happened: clock", failure.faults
    assert_match(/fault: clock/, failure.message)
    refute_match(/pause/, failure.message)
  end

  def test_the_same_seed_has_the_same_faults
    stories = Array.new(2) do
      story = []
      Simulation.explore(runs: 5, seed: 3, faults: {clock: 0.3, pause: 0.3}) do |sim|
        20.times { story << Time.now << sim.now << sim.fault(:site) }
        thread = Thread.new { story << sleep(1) }
        thread.join
      end.raise!
      story
    end
    assert_equal stories.first, stories.last
  end

  def test_refused
    assert_refused(/there is no fault :eroors/) { explore(faults: {eroors: 1}) }
    assert_refused(/errors: 2 is no probability/) { explore(faults: {errors: 2}) }
    assert_refused(/faults: 7 means nothing/) { explore(faults: 7) }
    error = assert_raises(Simulation::Failed) do
      Simulation.run { |sim| sim.inject(at: :site, nth: 0) }
    end
    assert_match(/nth: 0 is no visit/, error.message)
  end

  private

  def explore(**options) = Simulation.explore(runs: 1, **options) {}
end
