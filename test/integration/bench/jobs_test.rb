# frozen_string_literal: true

require "test_helper"
require_relative "../../../bench/harness/main"
require_relative "../../../bench/jobs/suite"

# The benchmark of job systems: each sample is of jobs that were all done, each of them once.
class BenchJobsTest < Raffia::TestCase
  include JobsBench

  OPTIONS = Bench::Options.from(SUITE, {"YJIT" => "0"})
  GEMS = Bench::Gems.new(nil, Targets::ALL.values)
  SCALE = 0.002

  WAYS = Plans::ALL.values.uniq(&:way)

  WAYS.each do |plan|
    define_method("test_#{plan.name}") { assert_right(ready("raffia-redis"), plan) }
  end

  def test_each_target_of_ours_and_sidekiq
    %w[raffia-memory raffia-sqlite raffia-postgres sidekiq-10].each do |name|
      assert_right(ready(name), Plans::ALL.fetch("io"))
    end
  end

  def test_what_goes_on_in_the_dark_is_counted
    sample = sample(ready("raffia-redis"), Plans::ALL.fetch("idle"))
    assert_operator sample[:requests], :>, 0
    assert_operator sample[:pss_mib], :>, 0
    assert_includes sample, :idle_requests
  end

  def test_the_page_has_what_only_some_have
    results = {"raffia-redis" => {fsyncs: 0.5}, "sidekiq-10" => {}}.map do |target, more|
      {target:, workload: "noop",
       samples: [{cpu_us: 2.0, rate: 1.0, wall: 1.0, pss_mib: 1.0, **more}] * 3}
    end
    body =
      Bench::Page.new(Bench::Summary.new(SUITE,
        {machine: {flags: []}, gems: {}, runs: 3, notes: [], semantics: {}, results:})).body
    assert_includes body, "|  | raffia-redis |\n| --- | --- |\n| #{SUITE.figures.fetch(:fsyncs)} " \
      "| 0.50 |"
    refute_includes body, SUITE.figures.fetch(:idle_calls)
  end

  def test_a_backlog_of_a_million_is_only_made_when_asked_for
    refute_includes Bench::Options.from(SUITE, {}).plans.map(&:name), "million"
    assert_equal %w[million], Bench::Options.from(SUITE, {"WORKLOADS" => "million"}).plans
      .map(&:name)
  end

  private

  def ready(name)
    target = Targets::ALL.fetch(name)
    skip "#{target.gem} is not in the bundle" unless GEMS.installed?(target)
    trouble = target.trouble.call
    trouble ? skip(trouble) : target
  end

  def sample(target, plan)
    Bench::Run.new(SUITE, target, plan, OPTIONS, GEMS, scale: SCALE, seconds: 60).call
  end

  def assert_right(target, plan)
    sample = sample(target, plan)
    assert_nil sample[:error], "#{target.name}, #{plan.name}"
    assert_operator sample[:operations], :>, 0
    assert_operator sample[:cpu_us], :>=, 0 # so few jobs may be done before anybody has looked
  end
end
