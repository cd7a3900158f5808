# frozen_string_literal: true

require_relative "conformance_case"

# Suites run one after the other, or several at once.
class ConformanceCampaignTest < Raffia::TestCase
  include ConformanceCase

  # Its runs are made up: nothing is fetched, and no process is started.
  class MadeUp < Conformance::Campaign
    def initialize(runs, **options)
      super(cache: nil, known: Conformance::Known.new({}), modes: [], **options)
      @runs = runs
    end

    private

    def fetch(_suite) = [nil, {}]

    def run(suite, mode, *) = @runs.call(suite, mode)
  end

  def campaign(jobs, lines = [], &runs) = MadeUp.new(runs, jobs: jobs, say: lines.method(:<<))

  def test_results_have_the_order_of_the_suites_whichever_ends_first
    first_may_end = Thread::Queue.new
    ended = []
    campaign = campaign(2) do |suite, mode|
      (suite.name == "first") ? first_may_end.pop : first_may_end.push(true)
      outcome(mode, "a" => "pass")
    end
    results = campaign.call([suite("first"), suite("second")]) do |result|
      ended << result.suite.name
    end
    assert_equal %w[first second], results.map { |result| result.suite.name }
    assert_equal %w[first second], ended.sort
  end

  def test_one_job_takes_one_suite_after_the_other
    lines = []
    campaign = campaign(1, lines) { |suite, mode| outcome(mode, suite.name => "pass") }
    assert campaign.call([suite("first"), suite("second")]).all?(&:passed?)
    assert_equal ["== first (1 of 2)", "== second (2 of 2)"], lines
  end

  def test_a_suite_that_cannot_be_run_stops_no_other
    campaign = campaign(2) do |suite, mode|
      raise Conformance::Error, "no such tag" if suite.name == "first"

      outcome(mode, "a" => "pass")
    end
    assert_equal [false, true], campaign.call([suite("first"), suite("second")]).map(&:passed?)
  end

  def test_an_error_of_ours_is_raised
    campaign = campaign(2) { raise ArgumentError, "wrong" }
    assert_raises(ArgumentError) { campaign.call([suite("first")]) }
  end
end
