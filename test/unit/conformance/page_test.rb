# frozen_string_literal: true

require_relative "conformance_case"

# The table that `bin/conformance` writes into docs/conformance.md.
class ConformancePageTest < Raffia::TestCase
  include ConformanceCase

  PAGE = "# Title\n\n#{Conformance::Page::OPEN}\n#{Conformance::Page::CLOSE}\n\n## After\n".freeze

  def setup
    @dir = Dir.mktmpdir
    @file = File.join(@dir, "page.md")
    File.write(@file, PAGE)
  end

  def teardown = FileUtils.rm_rf(@dir)

  def write(comparison, names) = Conformance::Page.new(@file).write([comparison], names)

  def rows = File.read(@file).scan(%r{</a>(\w+) \| (.*) \|$})

  def test_a_row_has_the_version_and_what_passes_where
    known = [{"tests" => "b", "why" => "It counts\nthreads."}]
    runs = {plain: {"a" => "pass", "b" => "pass", "c" => "fail"},
            uring: {"a" => "pass", "b" => "fail", "c" => "fail"},
            epoll: {"a" => "fail", "b" => "pass"}}
    write(compare(runs, known: known), ["thing"])
    assert_equal [["thing",
      "1.2.3 | #{RUBY_VERSION} | 2 (1 fail) | 1 (1 differ) | 1 (1 **fail**) |  | "]],
      rows
    assert_includes File.read(@file), "* `thing`: 1 test on uring. It counts threads.\n"
  end

  def test_suites_that_were_not_run_keep_their_rows_and_reasons
    known = [{"tests" => "a", "why" => "So it is."}, {"tests" => "b", "why" => "And so."}]
    runs = {plain: {"a" => "pass", "b" => "pass"}, uring: {"a" => "fail", "b" => "fail"}}
    write(compare(runs, known: known), %w[thing other])
    write(compare({plain: {"a" => "pass"}}, suite: suite("other")), %w[other thing])
    assert_equal %w[other thing], rows.map(&:first)
    ["So it is.", "And so."].each { |why| assert_includes File.read(@file), why }
    write(compare({plain: {"a" => "pass"}}), %w[thing other])
    refute_includes File.read(@file), "So it is."
  end

  def test_what_stands_around_stays_and_suites_that_are_gone_go
    2.times { write(compare({plain: {"a" => "pass"}}), ["thing"]) }
    write(compare({plain: {"a" => "pass"}}, suite: suite("other")), ["other"])
    text = File.read(@file)
    assert text.start_with?("# Title\n\n#{Conformance::Page::OPEN}\n") &&
      text.end_with?("#{Conformance::Page::CLOSE}\n\n## After\n"),
      text
    assert_equal ["other"], rows.map(&:first)
  end

  def test_a_page_without_markers_is_refused
    File.write(@file, "# Title\n")
    assert_raises(Conformance::Error) { write(compare({plain: {"a" => "pass"}}), ["thing"]) }
  end
end
