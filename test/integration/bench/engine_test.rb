# frozen_string_literal: true

require "test_helper"
require_relative "../../../bench/harness/main"
require_relative "../../../bench/harness/meter"
require_relative "../../../bench/engine/suite"
require_relative "../../../bench/engine/workload"

# The benchmark of engines: its workloads get right results, what fails is called a failure, and its
# tables say what its samples say.
class BenchEngineTest < Raffia::TestCase
  include Bench
  include EngineBench

  SMALL = {scale: 0.005, seconds: 30}.freeze
  OPTIONS = Options.from(SUITE, {"YJIT" => "0"})
  GEMS = Gems.new(nil, [])

  Plans::ALL.each_value do |plan|
    next if plan.settings.fetch(:connections, 0) > 64 # the same code, more of it

    define_method("test_#{plan.name}_has_right_results") do
      [Targets::ALL.fetch("raffia-epoll"), Targets.threads].each do |target|
        sample = run_one(target, plan)
        assert_nil sample[:error], target.name
        assert_operator sample[:operations], :>=,
          plan.counts(SMALL[:scale] * target.share_of(plan))[:operations]
        assert_operator sample[:cpu_us], :>, 0
      end
    end
  end

  def test_the_limit_is_measured_under_the_same_load
    sample = run_one(Targets::ALL.fetch("limit"), Plans::ALL.fetch("http"))
    assert_nil sample[:error]
    assert_operator sample[:load], :>, 0
  end

  def test_a_wrong_result_is_no_figure
    workload = Class.new(Workload) { def call(count) = @right = count - 1 }.new(Threads.new)
    error = assert_raises(Wrong) { workload.measure(Meter.new, warm: 2, operations: 2) }
    assert_equal "1 of 2 operations had the right result", error.message
  end

  def test_a_target_that_is_not_there_is_a_failure_with_its_reason
    gone = Target.new(name: "gone", open: -> {})
    assert_match(/gone/, run_one(gone, Plans::ALL.fetch("spawn"))[:error])
  end

  def test_a_run_that_takes_too_long_is_ended
    sample = Run.new(SUITE, Targets.threads, Plans::ALL.fetch("sleepers"), OPTIONS, GEMS,
      scale: 1000, seconds: 0.5).call
    assert_equal({error: "no result after 0.5 s"}, sample)
  end

  def test_options_take_names_and_parts_of_names
    options = Options.from(SUITE, {"TARGETS" => "raffia,limit", "WORKLOADS" => "echo_1",
      "RUNS" => "2"})
    assert_equal %w[raffia-uring raffia-epoll raffia-poll raffia-select limit],
      options.targets.map(&:name)
    assert_equal ["echo_1"], options.plans.map(&:name)
    assert_equal 2, options.runs
  end

  def test_a_gem_that_is_missing_is_skipped_and_said
    gone = Target.new(name: "gone", gem: "no-such-gem-at-all", open: -> {})
    log = StringIO.new
    data = Campaign.new(SUITE, OPTIONS.with(targets: [gone], runs: 0, syscalls: false), log:).call
    assert_match(/gone: skipped, the gem no-such-gem-at-all is not installed/, log.string)
    assert_empty data[:results]
  end

  def test_tables_name_the_best_rival_and_who_fails
    summary = Summary.new(SUITE, data("raffia-epoll" => [2.0, 2.1, 2.0],
      "async-epoll" => [4.0, 4.1, 4.2], "itsi" => nil))
    report = Report.new(summary).to_s
    assert_match(/raffia-epoll .* 2\.05x async-epoll$/, report)
    assert_match(/itsi +FAILED: it broke/, report)
    body = Page.new(summary).body
    assert_includes body, "| spawn and finish | 2.00 | **4.10** | fails | 2.05x |"
    assert_includes body, "* itsi, spawn: `it broke`."
  end

  def test_what_lies_within_the_noise_is_called_noise
    summary = Summary.new(SUITE, data("raffia-epoll" => [2.0, 4.0, 3.0],
      "async-epoll" => [3.1, 2.2, 4.0]))
    assert_match(/~1\.03x async-epoll/, Report.new(summary).to_s)
    assert_includes Page.new(summary).body, "1.03x, noise"
  end

  private

  def run_one(target, plan)
    Tools.compile
    Run.new(SUITE, target, plan, OPTIONS, GEMS, **SMALL).call
  end

  def data(times)
    results = times.map do |target, list|
      {target:, workload: "spawn",
       samples: list ? list.map { |time| {cpu_us: time, rate: 1.0, allocations: 1.0} } :
          [{error: "it broke"}]}
    end
    {machine: {ruby: "ruby", flags: [], kernel: "Linux", processors: 2, processor: "a processor",
               load: 0.0, time: "now"},
     gems: {}, runs: 3, notes: [], semantics: {}, results:}
  end
end
