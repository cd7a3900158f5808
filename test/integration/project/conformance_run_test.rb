# frozen_string_literal: true

require_relative "../../unit/conformance/conformance_case"

# `bin/conformance` runs a suite in processes of its own, names the tests that hang or end them, and
# continues behind these.
class ConformanceRunTest < Raffia::TestCase
  include ConformanceCase

  SUITE = <<~RUBY
    class ThingTest < Minitest::Test
      def test_passes = assert(true)
      def test_fails = flunk("so it is")
      def test_skips = skip("not here")
      def test_hangs = sleep
      def test_ends_the_process = exit!(1)
      def test_under
        backend = Fiber.scheduler.then { |one| one ? one.backend.to_s : "none" }
        assert_equal(ENV.fetch("EXPECTED"), backend)
      end
      def test_with_a_thread = assert_equal(1, Thread.new { sleep(0.01) && 1 }.value)
    end
  RUBY
  STATUSES = {"ends_the_process" => "died", "fails" => "fail", "hangs" => "hung",
              "passes" => "pass", "skips" => "skip", "under" => "pass",
              "with_a_thread" => "pass"}.transform_keys { |name|
    "ThingTest#test_#{name}"
  }.freeze

  def setup = @dir = Dir.mktmpdir

  def teardown = FileUtils.rm_rf(@dir)

  def run_as(mode, text = SUITE, **entry)
    FileUtils.mkdir_p(File.join(@dir, "files/test"))
    File.write(File.join(@dir, "files/test/thing_test.rb"), text)
    env = {"EXPECTED" => (mode == "plain") ? "none" : mode}
    entry = {test_limit: 1.5, limit: 60, **entry}
    Conformance::Run.new(suite(**entry), mode, File.join(@dir, "files"), env, @dir).call
  end

  %w[plain epoll].each do |mode|
    define_method("test_each_test_has_its_result_#{mode}") do
      outcome = run_as(mode)
      assert_equal STATUSES, outcome.results.transform_values(&:status).sort.to_h,
        File.read(File.join(@dir, "#{mode}.log"))
      assert_equal "so it is", outcome.results["ThingTest#test_fails"].message
      assert_match(/test_hangs/, File.read(File.join(@dir, "#{mode}.log")),
        "no backtrace of the test that hung")
      assert_empty outcome.notes
    end
  end

  def test_tests_that_are_never_to_be_run_are_not
    outcome = run_as("plain", never: {"hangs|ends" => "they would"})
    assert_equal STATUSES.keys.grep_v(/hangs|ends/), outcome.results.keys.sort
  end

  LAYER = <<~RUBY
    require "parallel"
    class ThingTest < Minitest::Test
      def test_passes = assert_equal([1, 4], Parallel.map([1, 2], in_processes: 2) { |x| x * x })
      def test_whose
        expected = ENV["RAFFIA_BACKEND"] ? "raffia/compat/" : "gems/parallel-"
        assert_includes Parallel.method(:map).source_location.first, expected
      end
      def test_ours = assert(File.exist?("fault_proxy.rb"))
    end
  RUBY

  %w[plain epoll].each do |mode|
    define_method("test_a_layer_stands_in_for_its_gem_on_raffia_alone_#{mode}") do
      ours = {"fault_proxy.rb" => "fault_proxy.rb"}
      outcome = run_as(mode, LAYER, test_limit: 20, layer: "parallel", ours: ours)
      assert_equal 3, outcome.count("pass"), outcome.inspect
    end
  end

  def test_a_suite_that_does_not_load_says_so
    outcome = run_as("plain", "raise 'no such thing'")
    assert_empty outcome.results
    assert_match(/ended outside of a test: .*no such thing/, outcome.notes.join)
  end
end
