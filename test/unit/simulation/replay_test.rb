# frozen_string_literal: true

require "open3"
require "test_helper"
require "tmpdir"
require "raffia/simulation"

# A failure is shrunk, replayed, and found again in another process.
class SimulationReplayTest < Raffia::TestCase
  Simulation = Raffia::Simulation

  # Loses an update when a thread is preempted between fetch and store.
  LOST_UPDATE = proc do |sim|
    table = {n: 0}
    sim.note("begin")
    3.times.map { |index|
      Thread.new do
        sleep 0.01 * sim.choose(2)
        table.store(:n, table.fetch(:n) + 1)
      end
    }.each(&:join)
    raise "#{table[:n]} of 3" unless table[:n] == 3
  end

  LOCK_ORDER = proc do
    one, other = Mutex.new, Mutex.new
    [[one, other], [other, one]].map { |first, second|
      Thread.new do
        first.lock
        second.synchronize { first.unlock }
      end
    }.each(&:join)
  end

  MISSED_SIGNAL = proc do
    mutex, condition, done = Mutex.new, ConditionVariable.new, []
    waiter = Thread.new do
      mutex.synchronize { condition.wait(mutex) } unless done.include?(true)
    end
    done.push(true)
    mutex.synchronize { condition.signal }
    waiter.join
  end

  {LOST_UPDATE:, LOCK_ORDER:, MISSED_SIGNAL:}.each do |name, program|
    define_method(:"test_#{name.downcase}_is_shrunk_and_replayed") do
      [1, 2, 3].each { |seed| assert_reproducible(program, seed) }
    end
  end

  def test_a_replay_of_another_program_diverges_with_both_sides
    schedule = Simulation.explore(runs: 1_000, seed: 1, &LOST_UPDATE).failure.schedule
    error = assert_raises(Simulation::Diverged) do
      Simulation.replay(schedule) { 2.times.map { Thread.new { 1 } }.each(&:join) }
    end
    assert_match(
      /at choice \d+ of \d+\. Recorded: number \d+, fingerprint \h{4}\. Now: one of main/,
      error.message
    )
  end

  def test_the_program_cannot_rescue_a_divergence
    schedule = Simulation.explore(runs: 1_000, seed: 1, &LOST_UPDATE).failure.schedule
    assert_raises(Simulation::Diverged) do
      Simulation.replay(schedule) do |sim|
        sim.choose(3)
      rescue Exception # standard:disable Lint/RescueException
        :rescued
      end
    end
  end

  def test_a_run_that_ends_early_diverges
    schedule = Simulation.explore(runs: 1_000, seed: 1, &LOST_UPDATE).failure.schedule
    error = assert_raises(Simulation::Diverged) { Simulation.replay(schedule) { 1 } }
    assert_match(/ended after choice 0 of \d+/, error.message)
  end

  def test_a_loose_replay_goes_on_after_an_edit
    schedule = Simulation.explore(runs: 1_000, seed: 1, &LOCK_ORDER).failure.schedule

    assert_equal 2, Simulation.replay(schedule, loose: true) { 1 + 1 }
    assert_raises(Simulation::Failed) { Simulation.replay(schedule, loose: true, &LOCK_ORDER) }
  end

  def test_garbage_is_no_schedule
    assert_refused(/does not begin with rs1:|cannot be read/) { Simulation.replay("x") { 1 } }
  end

  def test_shrinking_can_be_left_out
    failure = Simulation.explore(runs: 1_000, seed: 2, strategy: :random, shrink: false,
      &LOST_UPDATE).failure
    assert_equal 0, failure.shrink_runs
    assert_equal failure.original, failure.schedule
    assert_operator shrunk(LOST_UPDATE, 2, :random).schedule.deviations, :<=,
      failure.schedule.deviations
  end

  # Traces and schedules, byte for byte.
  def test_two_processes_go_the_same_way
    program = <<~RUBY
      require "raffia/simulation"
      program = proc do |sim|
        table = {n: 0}
        3.times.map { Thread.new { sleep rand; table.store(:n, table.fetch(:n) + sim.choose(3)) } }
          .each(&:join)
        Raffia.run { 3.times { Raffia.spawn { sleep 0.1 } } }
        raise "stop"
      end
      5.times do |seed|
        failure = Raffia::Simulation.explore(runs: 3, seed: seed, shrink: false, &program).failure
        puts failure.original, failure.schedule, failure.trace.to_a, failure.timeline
      end
    RUBY
    first = output_of(program)

    assert_operator first.lines.size, :>, 100
    assert_equal first, output_of("ObjectSpace.each_object.first(9); GC.start; #{program}")
  end

  def test_a_failure_of_run_says_how_to_run_it_again
    error = assert_raises(Simulation::Failed) { Simulation.run(seed: 3) { raise "stop" } }
    assert_match(/run 1 failed with seed 3: RuntimeError: stop/, error.message)
    assert_match(/RAFFIA_SEED=3 /, error.message)
    assert_match(/RAFFIA_SCHEDULE=rs1:\S+ /, error.message)
    assert_equal "stop", error.cause.message
    again = assert_raises(Simulation::Failed) do
      Simulation.replay(error.failure.schedule) { raise "stop" }
    end
    assert_match(/^0\.000 +ends$/, again.message)
  end

  def test_the_command_that_a_failure_shows
    Dir.mktmpdir do |dir|
      path = File.join(dir, "program")
      File.write(path, "require 'raffia/simulation'\nRaffia::Simulation.run { raise 'stop' }")
      assert_match(/ ruby -I \S+ #{path} a$/, command_of(path, {}))
      assert_match(/ bundle exec ruby -I \S+ #{path} a$/,
        command_of(path, {"BUNDLE_BIN_PATH" => "/bin/bundle"}))
      File.chmod(0o755, path)
      assert_match(/ #{path} a$/, command_of(path, {"RUBYOPT" => "-I#{LIB}"}, []))
    end
  end

  private

  LIB = File.expand_path("../../../lib", __dir__)
  private_constant :LIB

  def command_of(path, env, options = ["-I", LIB])
    _, error = Open3.capture3({"BUNDLE_BIN_PATH" => nil, **env}, RbConfig.ruby, *options, path, "a")
    error[/RAFFIA_SEED=0( .*)$/, 1]
  end

  def shrunk(program, seed, strategy = :portfolio)
    Simulation.explore(runs: 5_000, seed: seed, strategy: strategy, &program).failure
  end

  def assert_reproducible(program, seed)
    failure = shrunk(program, seed)
    assert_operator failure.switches, :<=, 2
    assert_operator failure.schedule.deviations, :<=, failure.original.deviations
    2.times do
      error = assert_raises(Simulation::Failed) do
        Simulation.replay(failure.schedule.to_s, &program)
      end
      assert_equal failure.error.class, error.cause.class
      assert_equal failure.trace.to_a, error.failure.trace.to_a
    end
    assert_raises(Simulation::Failed) { Simulation.replay(failure.original, &program) }
  end
end
