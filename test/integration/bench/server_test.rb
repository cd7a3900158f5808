# frozen_string_literal: true

require "test_helper"
require_relative "../../../bench/harness/main"
require_relative "../../../bench/server/process"
require_relative "../../../bench/server/suite"

# The benchmark of servers: every target that is here gives right answers at every workload, and
# what is measured of it is there.
class BenchServerTest < Raffia::TestCase
  include ServerBench

  OPTIONS = Bench::Options.from(SUITE, {"YJIT" => "0"})
  GEMS = Bench::Gems.new(nil, Targets::ALL.values)
  # The servers that need only a compiler, and ours.
  ALWAYS = %w[limit raffia-epoll].freeze

  # Those of h2load's that are as short as the others.
  H2LOAD = %w[h2_hello h2_upload_100 h1_download].freeze

  Plans::ALL.except(*H2loadPlans::ALL.keys - H2LOAD).each_value do |plan|
    define_method("test_#{plan.name}_is_answered_right") do
      (trouble = plan.trouble) and skip(trouble)
      targets = Targets::ALL.values_at(*ALWAYS)
        .reject { |target| target.without.key?(plan.name) || target.trouble.call }
      targets.each { |target| assert_right(target, plan) }
    end
  end

  # Gems and other programs are not here on every machine.
  def test_each_target_answers_right
    here = Targets::ALL.values.select do |target|
      GEMS.installed?(target) && target.trouble.call.nil?
    end
    here.each { |target| assert_right(target, Plans::ALL.fetch("hello")) }
  end

  def test_what_is_measured
    sample = assert_right(Targets::ALL.fetch("limit"), Plans::ALL.fetch("hello"))
    %i[cpu_us rate load p50_us p99_us p999_us pss_mib open_rate].each do |name|
      assert_operator sample[name], :>, 0, name
    end
    assert_equal [0, 0, 0], sample.values_at(:unanswered, :open_unanswered, :reconnects)
    assert_nil sample[:allocations]
  end

  def test_tables_have_latencies_memory_and_who_was_late
    samples = [{cpu_us: 7.0, rate: 1.0, pss_mib: 12.5, p50_us: 100.0, p99_us: 2_000.0,
                p999_us: 30_000.0, unanswered: 3}] * 3
    body = Bench::Page.new(Bench::Summary.new(SUITE, data("limit", samples))).body
    assert_includes body, "| hello, keep-alive | 0.10 / 2.00 / 30.00 |"
    assert_includes body, "| hello, keep-alive | 12.50 |"
    assert_includes body, "* limit, hello: 3 requests were not answered in time."
  end

  def test_a_server_that_does_not_start_is_a_failure_with_its_last_words
    setup = Setup.new(command: [RbConfig.ruby, "-e", "abort 'no PORT for me'"])
    error = assert_raises(Bench::Wrong) { ServerProcess.open(setup) { flunk } }
    assert_match(/it does not serve: no \d+ for me/, error.message)
  end

  def test_a_server_ends_with_the_block_and_its_children_do_too
    children = nil
    setup = Setup.new(command: [RbConfig.ruby, "-e", "fork { exec(*ARGV) }; sleep",
      Tools.program("limit"), "PORT"])
    ServerProcess.open(setup) do |server|
      children = Bench::Meter.new(pid: server.pid, descendants: true).pids
      assert_equal 2, children.size
    end
    # what is killed has its last moment
    (PATIENCE * 100).times { children.any? { |pid| alive?(pid) } && sleep(0.01) }
    assert(children.none? { |pid| alive?(pid) })
  end

  def test_what_was_found_may_be_had_as_json
    output, = capture_io {
      Bench::Main.new(SUITE)
        .call(["--json"], {"QUICK" => "1", "TARGETS" => "limit", "WORKLOADS" => "pipelined"})
    }
    results = JSON.parse(output, symbolize_names: true)[:results]
    assert_equal [%w[limit pipelined]],
      results.map { |result| result.values_at(:target, :workload) }
    assert_operator results.first[:samples].first[:cpu_us], :>, 0
  end

  private

  def setup = Tools.compile

  def alive?(pid)
    File.read("/proc/#{pid}/stat")[/\) (\w)/, 1] != "Z"
  rescue Errno::ENOENT, Errno::ESRCH
    false
  end

  def assert_right(target, plan)
    return if target.without.key?(plan.name) || target.trouble.call

    sample = Bench::Run.new(SUITE, target, plan, OPTIONS, GEMS, scale: 0.02, seconds: 60).call
    assert_nil sample[:error], target.name
    assert_operator sample[:operations], :>, 0
    sample
  end

  def data(target, samples)
    {machine: {ruby: "ruby", flags: [], kernel: "Linux", processors: 2, processor: "a processor",
               load: 0.0, time: "now"},
     gems: {}, runs: 3, notes: [], semantics: {}, results: [{target:, workload: "hello", samples:}]}
  end
end
