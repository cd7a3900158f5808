# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"
require "tmpdir"

# CRuby may switch threads at the backward branch of a loop.
class SimulationPreemptionLoopsTest < Raffia::TestCase
  class Counter
    attr_reader :value

    def initialize = @value = 0

    # The first round reads, the second one writes.
    def increment
      round = before = 0
      while round < 2
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

  # The method begins before points are seen in a first run, and a replay is one.
  def test_a_method_that_starts_the_first_thread
    report = Raffia::Simulation.explore(runs: 300, seed: 1) { start_and_loop }
    assert_equal "lost", report.failure&.error&.message
    error = assert_raises(Raffia::Simulation::Failed) do
      Raffia::Simulation.replay(report.failure.schedule) { start_and_loop }
    end
    assert_equal "lost", error.cause.message
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

  def explore(name)
    Raffia::Simulation.explore(runs: 300, seed: 1) { program(name) }
  end

  def program(name)
    counter = Counter.new
    2.times.map { Thread.new { counter.public_send(name) } }.each(&:join)
    raise "lost" unless counter.value == 2
  end
end
