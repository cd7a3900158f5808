# frozen_string_literal: true

require "test_helper"
require "open3"
require "tmpdir"

# script/test_run.rb, by which bin/test runs all tests.
class TestRunTest < Raffia::TestCase
  SCRIPT = File.expand_path("../../../script/test_run.rb", __dir__)
  PASSES = "assert(true)"
  # The body gets the number of its run, from 1.
  COUNTED = "run = File.open(RUNS, 'a+') { |file| file.write('.'); file.size }; "

  # @param bodies [Array<String>] a test each, in a file each
  # @return [Array(String, Integer)] output, exit status
  def run_all(*bodies, env: {})
    Dir.mktmpdir do |dir|
      @cache = File.join(dir, "cache")
      bodies.each.with_index { |body, number| write(dir, number, body) }
      output, status = Open3.capture2e({"XDG_CACHE_HOME" => @cache, "RAFFIA_TEST_STRICT" => nil,
        "RAFFIA_TEST_TIMES" => nil, **env}, RbConfig.ruby, SCRIPT, "2", dir)
      @flaky = Dir[File.join(@cache, "raffia/*")]
        .to_h { |path| [File.basename(path), File.read(path)] }
      [output, status.exitstatus]
    end
  end

  def write(dir, number, body)
    File.write(File.join(dir, "t#{number}_test.rb"), <<~RUBY)
      require "test_helper"
      class Batch#{number}Test < Raffia::TestCase
        RUNS = #{File.join(dir, "runs#{number}").inspect}
        def test_it
          #{body}
        end
      end
    RUBY
  end

  def test_all_batches_are_counted_together
    output, status = run_all(PASSES, PASSES, PASSES)
    assert_equal(0, status, output)
    assert_match(/^3 runs, 3 assertions, 0 failures, 0 errors, 0 skips$/, output)
    refute_match(/Once more/, output)
    assert_empty(@flaky)
  end

  def test_a_failure_that_does_not_come_again_is_named_and_written_down
    output, status = run_all(PASSES, "#{COUNTED} assert_operator(run, :>, 1)")
    assert_equal(0, status, output)
    assert_match(/^bin\/test: failed beside all others, and passed alone: Batch1Test#test_it$/,
      output)
    _, ruby, name = @flaky.fetch("flaky-tests.txt").chomp.split("\t")
    assert_equal([RUBY_VERSION, "Batch1Test#test_it"], [ruby, name])
  end

  def test_a_failure_under_load_fails_the_run
    output, status = run_all("#{COUNTED} assert_includes(2..19, run)")
    assert_equal(1, status, output)
    assert_match(/^bin\/test: \d of 20 runs under load failed: Batch0Test#test_it$/, output)
    refute_match(/passed alone/, output)
  end

  def test_a_failure_alone_fails_the_run
    output, status = run_all("flunk('always')", PASSES)
    assert_equal(1, status)
    assert_match(/# Once more, .*: Batch0Test#test_it$/, output)
    refute_match(/under load/, output)
  end

  def test_a_process_that_ends_early_fails_the_run
    output, status = run_all("exit!(0)", PASSES)
    assert_equal(1, status)
    assert_match(/did not come to its end/, output)
    refute_match(/Once more/, output)
  end

  def test_a_missing_server_fails_a_strict_run_alone
    output, status = run_all("skip('Redis is not installed here')")
    assert_equal([0, true], [status, output.include?("   1  Redis is not installed here\n")],
      output)
    output, status = run_all("skip('Redis is not installed here')",
      env: {"RAFFIA_TEST_STRICT" => "1"})
    assert_equal(1, status)
    assert_match(/Redis is not installed here  \(not expected here\)/, output)
  end

  def test_an_expected_skip_passes_a_strict_run
    output, status = run_all("skip('the engine in Ruby has no others')",
      env: {"RAFFIA_TEST_STRICT" => "1"})
    assert_equal(0, status, output)
  end

  def test_flaky_tests_of_earlier_runs_are_shown
    Dir.mktmpdir do |cache|
      FileUtils.mkdir_p(File.join(cache, "raffia"))
      File.write(File.join(cache, "raffia/flaky-tests.txt"),
        "2026-01-02 03:04\t3.4.5\tSomeTest#test_race\n" * 2)
      output, = Open3.capture2e({"XDG_CACHE_HOME" => cache}, RbConfig.ruby, SCRIPT, "1", __FILE__,
        "-n", "/nothing/")
      assert_match(/^2x SomeTest#test_race \(Ruby 3\.4\.5, 2026-01-02 03:04\)$/, output)
    end
  end
end
