# frozen_string_literal: true

require "test_helper"
require "minitest/spec"
require "raffia/simulation/minitest"

module Raffia
  # Simulations in Minitest: test classes are made here, and run by hand.
  class SimulationMinitestTest < TestCase
    Counter = Struct.new(:value) do
      def increment
        before = value
        Thread.pass
        self.value = before + 1
      end
    end

    def test_passes_and_counts_the_assertions_of_one_run
      result = run_test do
        simulate "counts", runs: 20 do |sim|
          assert_kind_of Simulation::Handle, sim
          assert_equal 3600.0, sim.now.tap { sim.sleep(3600) } + 3600
        end
      end
      assert_predicate result, :passed?
      assert_equal 2, result.assertions
    end

    def test_an_assertion_that_fails_in_a_run_fails_the_test
      result = run_test do
        simulate "loses an update", runs: 200 do
          counter = Counter.new(0)
          2.times.map { Thread.new { counter.increment } }.each(&:join)
          assert_equal 2, counter.value, "an update is lost"
        end
      end
      failure = result.failure
      assert_instance_of ::Minitest::Assertion, failure
      refute_predicate result, :error?
      assert_match(
        /\Aan update is lost\.\nExpected: 2\n  Actual: 1\n\nrun \d+ failed with seed \d+/,
        failure.message
      )
      assert_match(/^  RAFFIA_SEED=\d+ .* -n test_loses_an_update$/, failure.message)
      assert_match(/^  RAFFIA_SCHEDULE=rs1:\S+ .* -n test_loses_an_update\z/, failure.message)
      assert_match(/minitest_test\.rb:\d+\z/, failure.location)
    end

    # Minitest compares long values with a program.
    def test_an_assertion_with_a_diff
      text = "one\ntwo\n" * 20
      result = run_test { simulate("differs", runs: 3) { assert_equal text, text.sub("two", "2") } }
      assert_instance_of ::Minitest::Assertion, result.failure
      assert_match(/^-two\n\+2\n/, result.failure.message)
    end

    def test_an_assertion_with_a_diff_in_a_plain_run
      text = "one\ntwo\n" * 20
      error = assert_raises(Simulation::Failed) do
        Simulation.run(faults: {errors: 1.0}) { assert_equal text, text.sub("two", "2") }
      end
      assert_instance_of ::Minitest::Assertion, error.cause
      assert_match(/^-two\n\+2\n/, error.cause.message)
    end

    def test_values_of_an_assertion_are_shown_in_the_world
      shown = []
      value = Object.new
      value.define_singleton_method(:inspect) { "#{shown << Thread.current} " + "long " * 10 }
      assert_raises(Simulation::Failed) { Simulation.run { assert_equal 1, value } }
      assert_instance_of Simulation::SimulatedThread, shown.first
    end

    def test_processes_are_refused_after_an_assertion_with_a_diff
      text = "one\ntwo\n" * 20
      error = assert_raises(Simulation::Failed) do
        Simulation.run do
          assert_equal text, ""
        rescue ::Minitest::Assertion
          system("true")
        end
      end
      assert_instance_of Simulation::NotSimulated, error.cause
    end

    def test_an_error_of_a_run_is_an_error_of_the_test
      result = run_test do
        simulate("raises", runs: 3) { raise KeyError, "no such key" }
      end
      assert_predicate result, :error?
      assert_match(/Simulation::Failed: run 1 failed with seed \d+: KeyError: no such key/,
        result.failure.message)
      assert_match(/^  RAFFIA_SEED=\d+ .* -n test_raises$/, result.failure.message)
      assert_match(/minitest_test\.rb:\d+/, result.failure.backtrace.first)
    end

    def test_a_finding_of_the_simulation_is_an_error_of_the_test
      result = run_test { simulate("waits for ever", runs: 3) { Queue.new.pop } }
      assert_predicate result, :error?
      assert_match(/Simulation::Deadlock/, result.failure.message)
    end

    def test_a_thread_may_assert
      result = run_test do
        simulate("fails elsewhere", runs: 3) { Thread.new { assert false, "there" }.join }
      end
      assert_instance_of ::Minitest::Assertion, result.failure
      assert_match(/\Athere/, result.failure.message)
    end

    def test_a_skip_skips_after_one_run
      runs = []
      result = run_test do
        simulate("skips", runs: 50) do
          runs << 1
          skip "not today"
        end
      end
      assert_predicate result, :skipped?
      assert_equal "not today", result.failure.message
      assert_operator runs.size, :<=, 3
    end

    def test_instance_variables_of_a_run_end_with_it
      result = run_test do
        define_method(:setup) { @given = 7 }
        define_method(:teardown) { flunk "left: #{@memoized}" if @memoized }
        simulate("memoizes", runs: 20) do
          assert_nil @memoized
          assert_equal 7, @given
          @memoized = @given += 1
        end
      end
      assert_predicate result, :passed?, result.failure&.message
    end

    def test_simulate_in_a_test_method
      result = run_test do
        define_method(:test_plain) do
          started = ::Process.clock_gettime(::Process::CLOCK_REALTIME)
          report = simulate(runs: 5, start: Time.utc(2038, 1, 19)) do
            sleep(60)
            assert_equal Time.utc(2038, 1, 19, 0, 1), Time.now
          end
          assert_equal 5, report.runs
          # Outside of a run the time is the real one.
          assert_in_delta started, ::Process.clock_gettime(::Process::CLOCK_REALTIME), 3600
          refute_kind_of Simulation::SimulatedThread, Thread.current
        end
      end
      assert_predicate result, :passed?, result.failure&.message
    end

    def test_a_second_test_of_one_name_is_refused
      assert_refused(/has a test test_one_name already/) do
        test_class do
          simulate("one name") { nil }
          simulate("one  name") { nil }
        end
      end
      assert_refused(/needs a block/) { test_class { simulate("none") } }
    end

    def test_results_can_be_dumped
      result = run_test { simulate("raises", runs: 1) { Queue.new.pop } }
      assert_equal result.failure.message, Marshal.load(Marshal.dump(result)).failure.message
    end

    def test_lets_of_a_spec_are_new_in_each_run
      made = []
      spec = ::Minitest::Spec.create("a spec", nil)
      ::Minitest::Runnable.runnables.delete(spec)
      spec.include Simulation::Minitest
      spec.let(:object) { Object.new.tap { |object| made << object } }
      spec.simulate("uses it", runs: 5) { object }
      assert_predicate spec.new(:test_uses_it).run, :passed?
      assert_operator made.size, :>=, 5
    end

    private

    def test_class(&block)
      Class.new(::Minitest::Test) do
        ::Minitest::Runnable.runnables.delete(self)
        include Simulation::Minitest

        class_exec(&block)
      end
    end

    def run_test(&)
      test = test_class(&)
      test.new(test.public_instance_methods(false).grep(/\Atest_/).first).run
    end
  end
end
