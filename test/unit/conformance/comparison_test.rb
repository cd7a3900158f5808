# frozen_string_literal: true

require_relative "conformance_case"

# The comparison that `bin/conformance` makes of a suite's runs.
class ConformanceComparisonTest < Raffia::TestCase
  include ConformanceCase

  def differences(...) = compare(...).unexplained.map { |one| [one.mode, one.name, one.status] }

  def test_what_fails_plain_too_is_no_difference
    assert_empty differences({plain: {"a" => "fail", "b" => "pass"},
epoll: {"a" => "hung", "b" => "pass"}})
  end

  def test_what_fails_hangs_or_is_missing_under_raffia_alone_is_one
    plain = {"a" => "pass", "b" => "pass", "c" => "skip", "d" => "pass"}
    assert_equal [%w[uring a hung], %w[uring b died], %w[uring c fail], ["uring", "d", "not run"]],
      differences({plain: plain, uring: {"a" => "hung", "b" => "died", "c" => "fail"}})
  end

  def test_a_difference_says_whether_async_fails_likewise
    runs = {plain: {"a" => "pass", "b" => "pass"}, epoll: {"a" => "fail", "b" => "fail"},
            async: {"a" => "fail", "b" => "pass"}}
    assert_equal [true, false], compare(runs).differences.map(&:async)
    assert_equal [nil, nil], compare(runs.except(:async)).differences.map(&:async)
  end

  def test_a_known_difference_is_none_that_fails
    known = [{"tests" => ["/^a/"], "modes" => ["select"], "why" => "Ruby has no such read"}]
    runs = {plain: {"a1" => "pass"}, epoll: {"a1" => "fail"}, select: {"a1" => "fail"}}
    comparison = compare(runs, known: known)
    assert_equal ["epoll"], comparison.unexplained.map(&:mode)
    assert_equal ["Ruby has no such read"], comparison.reasons.map(&:why)
    refute_predicate comparison, :passed?
  end

  def test_a_known_difference_that_is_gone_is_said
    known = [{"tests" => "a", "why" => "x"}, {"tests" => "b", "why" => "y", "steady" => false},
      {"tests" => "elsewhere", "why" => "z"}]
    comparison = compare(
      {plain: {"a" => "pass", "b" => "pass"}, epoll: {"a" => "pass", "b" => "pass"}}, known: known
    )
    assert_equal ["x"], comparison.obsolete.map(&:why)
    assert_predicate comparison, :passed?
  end

  def test_what_passes_when_repeated_is_unsteady_and_no_failure
    comparison = compare({plain: {"a" => "pass"}, epoll: {"a" => "fail"}},
      unsteady: {"epoll" => ["a"]})
    assert_predicate comparison, :passed?
    assert_match(/failed, and passed when repeated: a/,
      Conformance::Report.new([comparison]).lines.join)
  end

  def test_a_mode_in_which_no_test_ran_does_not_pass
    comparison = compare({plain: {}, epoll: {}})
    refute_predicate comparison, :passed?
    assert_includes Conformance::Report.new([comparison]).lines, "thing on epoll: no test ran"
  end

  def test_the_report_names_a_test_once_with_all_its_modes
    runs = {plain: {"a" => "pass"}, uring: {"a" => "fail"}, epoll: {"a" => "hung"},
            async: {"a" => "pass"}}
    assert_equal ["thing: a", "    uring fail, epoll hung; async passes", "    | because"],
      Conformance::Report.new([compare(runs)]).lines
  end

  def test_a_reason_is_demanded
    error = assert_raises(Conformance::Error) do
      Conformance::Known.new("thing" => [{"tests" => "a"}])
    end
    assert_match(/thing: a reason/, error.message)
  end

  def test_the_suites_that_take_longest_are_named
    runs = {plain: {"a" => "pass"}, uring: {"a" => "pass"}}
    results = [compare(runs, suite: suite("short")),
      compare({**runs, epoll: {"a" => "pass"}}, suite: suite("long"))]
    results << Conformance::Campaign::Failure.new(suite("none"), "no such tag")
    assert_equal ["long 0.3 s", "short 0.2 s"], Conformance::Report.new(results).longest
    assert_equal ["long 0.3 s"], Conformance::Report.new(results).longest(1)
  end
end
