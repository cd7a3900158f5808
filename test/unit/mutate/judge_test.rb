# frozen_string_literal: true

require "test_helper"
require_relative "../../../script/mutate"

# When a mutant counts as killed, and how the counts become a rate.
class MutateJudgeTest < Raffia::TestCase
  FILE = "lib/raffia/task/channel.rb"
  MUTANT = Mutate::Operators.mutants(Mutate::Sources.read(FILE), FILE).first

  # Says whether the mutant is applied.
  class Space
    attr_reader :mutated

    def with(_mutant)
      @mutated = true
      yield
    ensure
      @mutated = false
    end
  end

  # @yield [Boolean, Array<String>, nil] whether the mutant is applied, the tests to run
  # @return [Mutate::Judge::Verdict]
  def judge(files = [%w[a_test.rb]])
    batches = files.map { |some| Mutate::Batch.new(some, nil, 1.0) }
    nearest = Struct.new(:all) { def batches(_mutant) = all }.new(batches)
    attempt = lambda do |space, files, limit:, names:|
      state = yield(space.mutated, names, files)
      Mutate::Attempt::Outcome.new(state, (state == :failed) ? "A#test_b" : nil, limit, "")
    end
    Mutate::Judge.new(nearest, ->(_) { 1 }, attempt).call(MUTANT, Space.new)
  end

  def test_a_failure_kills_when_it_repeats_and_passes_without_the_mutant
    verdict = judge { |mutated| mutated ? :failed : :passed }
    assert_equal [:killed, "A#test_b"], [verdict.verdict, verdict.by]
  end

  def test_a_failure_that_does_not_repeat_kills_nothing
    runs = []
    verdict = judge { |mutated, names| (mutated && runs << names && !names) ? :failed : :passed }
    assert_equal :survived, verdict.verdict
    assert_equal [nil, ["A#test_b"]] * 2, runs
  end

  def test_tests_that_fail_without_it_say_nothing
    assert_equal :invalid, judge { :failed }.verdict
    assert_equal :invalid, judge { :timeout }.verdict
  end

  def test_a_timeout_and_a_file_that_cannot_be_loaded_kill
    assert_equal :timeout, judge { |mutated| mutated ? :timeout : :passed }.verdict
    assert_equal :killed, judge { |mutated| mutated ? :broken : :passed }.verdict
  end

  def test_all_batches_are_tried
    assert_equal :survived, judge { :passed }.verdict
    verdict = judge([%w[a], %w[b]]) do |mutated, _, files|
      (mutated && files == %w[b]) ? :failed : :passed
    end
    assert_equal :killed, verdict.verdict
    verdict = judge([%w[a], %w[b]]) { |_, _, files| (files == %w[a]) ? :failed : :passed }
    assert_equal [:survived, "a b"], [verdict.verdict, verdict.by]
  end

  def test_equivalent_and_invalid_ones_are_not_counted
    states = %i[killed killed timeout survived equivalent invalid]
    verdicts = states.map { |state| Mutate::Judge::Verdict.new(MUTANT, state, "x", 1.0) }
    report = Mutate::Report.new(verdicts, 7)
    row = report.rows.last
    assert_equal ["all", 3, 1, 1, 1, 1], row.to_h.values
    assert_in_delta 75.0, row.rate
    assert_includes report.to_s, "SEED=7 MUTANTS=6"
    assert_equal 6, JSON.parse(report.to_json).fetch("mutants").size
  end

  def test_an_equivalent_mutant_is_known_by_the_text_of_its_line
    before, after = MUTANT.lines(Mutate::Sources.read(MUTANT.file))
    entry = {"file" => MUTANT.file, "before" => before, "after" => after, "reason" => "because"}
    assert_equal "because", Mutate::Equivalents.new([entry]).reason(MUTANT)
    assert_nil Mutate::Equivalents.new([entry.merge("after" => "x")]).reason(MUTANT)
  end

  # An entry whose line is gone describes nothing.
  def test_every_equivalent_line_is_still_there
    YAML.safe_load_file(Mutate::Equivalents::FILE).each do |entry|
      lines = Mutate::Sources.read(entry.fetch("file")).lines.map(&:strip)
      assert_includes lines, entry.fetch("before"), entry.fetch("file")
      refute_empty entry.fetch("reason")
    end
  end
end
