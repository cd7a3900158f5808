# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"
require "tmpdir"

# CRuby may switch threads at the backward branch of a loop.
class SimulationPreemptionLoopsTest < Raffia::TestCase
  class Counter
    attr_accessor :value

    def initialize = @value = 0

    # The first round reads, the second one writes. The block runs before.
    def increment
      round = before = 0
      while round < 2
        yield if block_given? && round.zero?
        round.zero? ? before = @value : @value = before + 1
        round += 1
      end
    end

    def in_block
      [nil].each do
        round = before = 0
        until round == 2
          round.zero? ? before = @value : @value = before + 1
          round += 1
        end
      end
    end

    def increment_later
      lambda do
        round = before = 0
        while round < 2
          round.zero? ? before = @value : @value = before + 1
          round += 1
        end
      end
    end

    def straight
      before = @value
      @value = before + 1
    end
  end

  def setup
    need_cruby "bytecode"
  end

  def test_updates_are_lost_between_two_rounds_of_a_loop
    assert_equal "lost", explore(:increment).failure&.error&.message
    assert_equal "lost", explore(:in_block).failure&.error&.message
    assert_predicate explore(:straight), :success?
  end

  def test_a_spin_loop_lets_the_others_run
    report = Raffia::Simulation.explore(runs: 20, seed: 1) do
      done = false
      rounds = 0
      thread = Thread.new { done = true }
      until done
        rounds += 1
      end
      thread.join
    end
    assert_predicate report, :success?
  end

  # Loops that are under way, or whose method has ended, when points are seen from then on. A replay
  # is a first run, too.
  def test_loops_from_before_the_first_thread
    %i[start_and_loop loop_of_a_task loop_of_a_block].each do |name|
      report = Raffia::Simulation.explore(runs: 300, seed: 1) { send(name) }
      assert_equal "lost", report.failure&.error&.message, name
      error = assert_raises(Raffia::Simulation::Failed) do
        Raffia::Simulation.replay(report.failure.schedule) { send(name) }
      end
      assert_equal "lost", error.cause.message
    end
  end

  # A fiber of the program's own is not known; its loop must not have points in later runs only.
  def test_points_do_not_depend_on_earlier_runs
    increments = ->(*) { 2.times.map { Thread.new { Counter.new.increment } }.each(&:join) }
    suspended = lambda do |*|
      fiber = Fiber.new { Counter.new.increment { Fiber.yield } }
      fiber.resume
      thread = Thread.new { sleep(0) }
      fiber.resume
      thread.join
    end
    assert_equal digests(suspended), digests(increments, suspended).drop(1)
    assert_equal digests(increments), digests(suspended, increments).drop(1)
  end

  def test_a_script_that_is_loaded_for_each_run
    Dir.mktmpdir do |folder|
      script = File.join(folder, "script.rb")
      File.write(script, <<~RUBY)
        class Counter
          attr_reader :value

          def initialize = @value = 0

          def increment
            round = before = 0
            while round < 2
              round.zero? ? before = @value : @value = before + 1
              round += 1
            end
          end
        end

        counter = Counter.new
        2.times.map { Thread.new { counter.increment } }.each(&:join)
        raise "lost" unless counter.value == 2
      RUBY
      report = Raffia::Simulation.explore(runs: 300, seed: 1) { load(script, true) }
      assert_equal "lost", report.failure&.error&.message
    end
  end

  def test_a_schedule_with_loops_is_replayed
    report = explore(:increment)
    error = assert_raises(Raffia::Simulation::Failed) do
      Raffia::Simulation.replay(report.failure.schedule) { program(:increment) }
    end
    assert_equal "lost", error.cause.message
  end

  private

  def start_and_loop
    value = 0
    thread = Thread.new { value = 5 }
    round = before = 0
    while round < 2
      round.zero? ? before = value : value = before + 1
      round += 1
    end
    thread.join
    raise "lost" if value == 1
  end

  # The task is in its loop when the thread starts.
  def loop_of_a_task
    counter = Counter.new
    Raffia.run do |scope|
      scope.spawn { counter.increment { sleep(1) } }
      sleep(0.5)
      Thread.new { sleep(0.5) && counter.value = 5 }.join
    end
    raise "lost" if counter.value == 1
  end

  def loop_of_a_block
    counter = Counter.new
    increment = counter.increment_later
    thread = Thread.new { counter.value = 5 }
    increment.call
    thread.join
    raise "lost" if counter.value == 1
  end

  # Digests of runs in one real thread.
  def digests(*programs)
    Raffia::Simulation::RealThread.open(Raffia::Simulation::Settings.build) do |thread|
      programs.map do |program|
        strategy = Raffia::Simulation::Strategy::RandomWalk.new
        strategy.start(1, 0)
        decisions = Raffia::Simulation::Decisions.new(strategy)
        assert_nil thread.run(decisions, seed: 1, &program).error
        decisions.digest
      end
    end
  end

  def explore(name)
    Raffia::Simulation.explore(runs: 300, seed: 1) { program(name) }
  end

  def program(name)
    counter = Counter.new
    2.times.map { Thread.new { counter.public_send(name) } }.each(&:join)
    raise "lost" unless counter.value == 2
  end
end
