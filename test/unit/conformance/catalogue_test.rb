# frozen_string_literal: true

require_relative "conformance_case"
require "stringio"

# The suites of `bin/conformance`, and what it says to names and options that mean nothing.
class ConformanceCatalogueTest < Raffia::TestCase
  include ConformanceCase

  def command(*arguments)
    out, err = StringIO.new, StringIO.new
    [Conformance::Command.new(arguments, out: out, err: err).call, out.string, err.string]
  end

  def test_every_entry_is_one_that_can_be_run
    suites = Conformance::Catalogue.new.suites
    assert_operator suites.size, :>=, 25
    assert_includes 3..5, suites.count(&:quick?)
    services = suites.flat_map(&:services).uniq
    assert_empty services - Conformance::Services::ALL.keys
    suites.each { |suite| assert_match(/\A\d/, suite.version, suite.name) }
  end

  def test_every_known_difference_is_of_a_suite
    assert_empty Conformance::Known.read.keys - Conformance::Catalogue.new.names
    Conformance::Known.new
  end

  def test_a_suite_with_a_key_that_means_nothing_is_refused
    error = assert_raises(Conformance::Error) { suite(filse: []) }
    assert_equal "suite thing: unknown filse", error.message
    assert_raises(Conformance::Error) { suite(framework: "cucumber") }
    assert_raises(Conformance::Error) { suite(files: []) }
  end

  def test_an_unknown_name_is_refused_with_those_that_there_are
    status, _, err = command("rset-client")
    assert_equal 2, status
    assert_match(/\Aconformance: no suite is called rset-client; there are: .*rest-client/, err)
  end

  def test_an_unknown_mode_or_option_is_refused
    assert_match(/, not kqueue$/, command("--on", "kqueue").last)
    assert_equal 2, command("--nope").first
  end

  def test_the_list_has_names_and_versions
    status, out, = command("--list")
    assert_equal 0, status
    assert_match(/^rest-client +2\.1\.0 \(quick\)$/, out)
  end

  def test_plain_is_run_first_and_async_unless_it_makes_no_sense
    assert_equal %w[plain uring epoll select async], suite.modes
    assert_equal %w[plain uring epoll select], suite(async: false, no_async: "it forks").modes
  end
end
