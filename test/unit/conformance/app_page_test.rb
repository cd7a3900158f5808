# frozen_string_literal: true

require_relative "conformance_case"

# The table of applications that `bin/conformance --apps` writes, and when an application has
# passed.
class ConformanceAppPageTest < Raffia::TestCase
  PAGE = "# Title\n\n#{Conformance::AppPage::OPEN}\n#{Conformance::AppPage::CLOSE}\n\n## After\n"

  # @param changes [Hash] of what came of it on Raffia
  def verdict(app = "shop", **changes)
    run = {answers: {"/" => {status: "200", body: "x"}}, acknowledged: 151, written: 151,
           errors: [],
           steps: {"1, go to /" => {"text" => "x"}}}
    Conformance::Trial::Verdict.new(app, runs: {"raffia" => run.merge(changes), "puma" => run},
      version: "#{app} 1.0")
  end

  def test_nothing_lost_and_the_same_answers_pass
    assert_predicate verdict, :passed?
    assert_predicate verdict(written: nil), :passed?
  end

  def test_a_lost_write_an_error_or_another_answer_fail
    refute_predicate verdict(written: 150), :passed?
    refute_predicate verdict(errors: ["EOFError"]), :passed?
    refute_predicate verdict(answers: {"/" => {status: "500", body: "x"}}), :passed?
    refute_predicate verdict(steps: {"1, go to /" => {"text" => "y"}}), :passed?
    refute_predicate verdict(steps: {}), :passed?
    refute_predicate Conformance::Trial::Verdict.new("shop", error: "no gem"), :passed?
  end

  def test_rows_stay_until_their_application_is_run_again
    Dir.mktmpdir do |dir|
      file = File.join(dir, "page.md")
      File.write(file, PAGE)
      page = Conformance::AppPage.new(file)
      page.write([verdict], %w[shop other])
      page.write([verdict("other", written: 150)], %w[shop other])
      text = File.read(file)
      assert_includes text, "</a>shop 1.0 | none of 1 | none of 1 | 151, 151, 0 | 151, 151, 0 |\n"
      assert_includes text, "</a>other 1.0 | none of 1 | none of 1 | 151, 150, 0 | 151, 151, 0 |\n"
      assert text.end_with?("\n\n## After\n"), text
    end
  end
end
