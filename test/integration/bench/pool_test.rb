# frozen_string_literal: true

require "test_helper"
require_relative "../../../bench/harness/main"
require_relative "../../../bench/pool/suite"

# The benchmark of pools: every target that is here gets right results, and figures are compared
# within a group.
class BenchPoolTest < Raffia::TestCase
  include PoolBench

  OPTIONS = Bench::Options.from(SUITE, {"YJIT" => "0"})
  GEMS = Bench::Gems.new(nil, Targets::ALL.values)

  Plans::ALL.each_value do |plan|
    define_method("test_#{plan.name}_has_right_results") do
      %w[raffia-threads raffia-processes].each do |name|
        assert_right(Targets::ALL.fetch(name), plan)
      end
    end
  end

  # Gems and other languages are not here on every machine.
  def test_each_target_has_right_results
    plan = Plans::ALL.fetch("big")
    here = Targets::ALL.values.select do |target|
      GEMS.installed?(target) && target.trouble.call.nil?
    end
    here.each { |target| assert_right(target, plan) }
  end

  def test_a_rival_is_one_of_the_same_group
    summary = Bench::Summary.new(SUITE, data("raffia-threads" => 2.0, "raffia-processes" => 3.0,
      "parallel-threads" => 4.0,
      "plain-processes" => 9.0, "python-threads" => 1.0))
    report = Bench::Report.new(summary).to_s
    assert_match(/raffia-threads .* 2\.00x parallel-threads$/, report)
    assert_match(/raffia-processes .* 3\.00x plain-processes$/, report)
    assert_includes Bench::Page.new(summary).body, "| processes 3.00x; threads 2.00x |"
  end

  def test_what_is_not_here_is_skipped_and_said
    gone = Targets.python("gone", "no_such_module_at_all")
    log = StringIO.new
    Bench::Campaign.new(SUITE, OPTIONS.with(targets: [gone], runs: 0, syscalls: false), log:).call
    assert_match(/python-gone: skipped, python3 has no no_such_module_at_all/, log.string)
  end

  private

  def assert_right(target, plan)
    sample = Bench::Run.new(SUITE, target, plan, OPTIONS, GEMS, scale: 0.002, seconds: 60).call
    assert_nil sample[:error], target.name
    assert_operator sample[:operations], :>, 0
    assert_operator sample[:cpu_us], :>, 0
  end

  def data(medians)
    results = medians.map do |target, time|
      {target:, workload: "small", samples: [{cpu_us: time, rate: 1.0, wall: 1.0}] * 3}
    end
    {machine: {ruby: "ruby", flags: [], kernel: "Linux", processors: 2, processor: "a processor",
               load: 0.0, time: "now"},
     gems: {}, runs: 3, notes: [], semantics: {}, results:}
  end
end
