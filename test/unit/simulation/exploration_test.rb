# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "raffia/simulation"

# Nondeterminism, the corpus, and variables of explorations.
class SimulationExplorationTest < Raffia::TestCase
  Simulation = Raffia::Simulation
  Config = Simulation::Config

  def test_state_that_outlives_a_run_is_reported
    count = 0
    failure = Simulation.explore(runs: 3, seed: 1) do
      ((count += 1) % 3).times { Thread.new { Thread.pass }.join }
      2.times.map { Thread.new { Thread.pass } }.each(&:join)
    end.failure

    assert_instance_of Simulation::Nondeterminism, failure.error
    assert_match(/at choice \d+, the first one .*, the second one .*There the second one was at: /,
      failure.error.message)
  end

  def test_an_error_that_comes_once_is_nondeterminism
    count = 0
    failure = Simulation.explore(runs: 3, seed: 1) { raise "once" if (count += 1) == 2 }.failure

    assert_instance_of Simulation::Nondeterminism, failure.error
    assert_match(/the first one with RuntimeError: once, the second one well/,
      failure.error.message)
  end

  def test_what_a_first_run_remembers_is_no_nondeterminism
    memo = nil
    report = Simulation.explore(runs: 200, seed: 1) do
      memo ||= Thread.new { sleep 1 }.value
      2.times.map { Thread.new { sleep 0.1 } }.each(&:join)
    end
    assert_predicate report, :success?
    assert_equal 200, report.runs
  end

  def test_without_verification_the_block_runs_once_a_run
    count = 0
    Simulation.explore(runs: 5, verify: false) { count += 1 }
    assert_equal 5, count
  end

  def test_the_corpus_keeps_one_schedule_for_each_reason_and_runs_it_first
    Dir.mktmpdir do |folder|
      folder = File.join(folder, "corpus")
      config = config(corpus: folder)
      first = explore(config)
      path = first.files.first

      assert_equal [path], Dir[File.join(folder, "*")]
      assert_match(/\A# lost\n# RuntimeError: \d are not 3\nrs1:/, File.read(path))
      again = explore(config, seed: 99)
      assert_equal [0, 0], [again.failure.run, again.runs]
      assert_equal [path], again.files
      assert_predicate explore(config, name: "other") { 1 }, :success?
      assert_predicate explore(config) { 1 }, :success?, "a schedule of a program that has changed"
    end
  end

  def test_a_corpus_that_cannot_be_written_is_an_error
    assert_refused(/corpus .* cannot be read/) { explore(config(corpus: "/dev/null/a")) }
    assert_refused(/corpus .* cannot be written/) { explore(config(corpus: "/proc/raffia/a")) }
  end

  def test_a_page_is_written_for_each_failure
    Dir.mktmpdir do |folder|
      report = explore(config(report: folder))

      assert_match(/<!DOCTYPE html>/, File.read(report.files.first))
      assert_refused(/report .* cannot be written/) { explore(config(report: "/dev/null/a")) }
    end
  end

  def test_a_schedule_of_the_environment_runs_alone
    schedule = explore.failure.schedule.to_s
    count = 0
    report = explore(config(schedule: schedule)) do
      count += 1
      lost_update
    end
    assert_equal [1, 1, schedule], [count, report.runs, report.failure.schedule.to_s]
    assert_raises(Simulation::Diverged) { explore(config(schedule: schedule)) { 1 } }
  end

  def test_an_exploration_ends_after_its_seconds
    report = Simulation.explore(seconds: 0.05, seed: 1) { 1 }
    assert_operator report.runs, :>, 1
    assert_operator report.seconds, :>=, 0.05
  end

  def test_progress_gets_the_number_of_runs
    seen = []
    Simulation.explore(runs: 3, progress: seen.method(:push)) { 1 }
    assert_equal [1, 2, 3], seen
  end

  def test_variables
    config = load("RAFFIA_SEED" => "12", "RAFFIA_SCHEDULE" => "a", "RAFFIA_SIM_RUNS" => "3",
      "RAFFIA_SIM_STRATEGY" => "pct", "RAFFIA_SIM_REPORT" => "r", "RAFFIA_SIM_CORPUS" => "c",
      "RAFFIA_SIM_TESTS" => "simulated")

    assert_equal Config.new(seed: 12, schedule: "a", runs: 3, strategy: :pct, report: "r",
      corpus: "c", tests: :simulated), config
    assert_equal :all, load({}).tests
    assert_equal 0xdeadbeef, load("GITHUB_SHA" => "deadbeef0123").seed
    assert_nil load({}).seed
    assert_equal 3, Simulation.explore(runs: 9, config: load("RAFFIA_SIM_RUNS" => "3")) { 1 }.runs
    assert_equal 12, Simulation.explore(runs: 1, config: load("RAFFIA_SEED" => "12")) { 1 }.seed
    assert_refused(/RAFFIA_SEED=x is no seed/) { load("RAFFIA_SEED" => "x") }
    assert_refused(/RAFFIA_SIM_STRATEGY=x/) { load("RAFFIA_SIM_STRATEGY" => "x") }
  end

  # 100,000 runs must not need more than 10,000.
  def test_runs_are_not_kept
    Simulation.explore(runs: 50, verify: false) { Thread.new { 1 }.join }
    worlds = -> {
      GC.start
      ObjectSpace.each_object(Simulation::World).count
    }
    before = worlds.call
    Simulation.explore(runs: 500) { Thread.new { 1 }.join }
    assert_operator worlds.call, :<=, before + 5
  end

  def test_values_that_mean_nothing_are_refused
    {runs: [0, -5, "5", 2.5], seconds: [-1, "x"], seed: [-5, "a"], depth: [0], bound: [-1],
     max_steps: [0, nil], real_limit: [-3], virtual_limit: ["1"], max_faults: [-1],
     start: [5, "2038"]}.each do |name, values|
      values.each do |value|
        assert_refused(/\A#{name}: #{Regexp.escape(value.inspect)} /) do
          Simulation.explore(name => value) { flunk "it ran" }
        end
      end
    end
    assert_refused(/needs a block/) { Simulation.run }
    assert_equal 3, Simulation.run(ignore: :leaks) { Thread.new { sleep } && 3 }
  end

  private

  def explore(config = Config.load, seed: 1, name: "lost", &block)
    Simulation.explore(runs: 1_000, seed: seed, name: name, config: config,
      &block || proc { lost_update })
  end

  def lost_update
    table = {n: 0}
    3.times.map { Thread.new { table.store(:n, table.fetch(:n) + 1) } }.each(&:join)
    raise "#{table[:n]} are not 3" unless table[:n] == 3
  end

  def config(**) = load({}).with(**)

  def load(env) = Config.load(Raffia::Config.variables(env))
end
