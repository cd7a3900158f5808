# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

# Where threads are switched without a wait: where CRuby checks for interrupts, and nowhere else.
class SimulationPreemptionTest < Raffia::TestCase
  # Ways to add one, and whether CRuby may lose an update by them: measured with real threads,
  # RUBY_THREAD_TIMESLICE=1 and 600,000 increments.
  class Counter
    attr_accessor :number

    def initialize
      @number = 0
      @hash = {number: 0}
    end

    def operator_assignment = @number += 1

    def hash_assignment = @hash[:number] += 1

    def accessors = self.number += 1

    def three_lines
      before = @number
      after = before + 1
      @number = after
    end

    def store_and_fetch = @hash.store(:number, @hash.fetch(:number) + 1)

    def by_methods = write(read + 1)

    def by_block
      before = @number
      2.times { |step| before += step }
      @number = before
    end

    def total = [@number, @hash[:number]].max

    private

    def read = @number

    def write(number)
      @number = number
    end
  end

  %i[operator_assignment hash_assignment accessors three_lines].each do |way|
    define_method(:"test_#{way}_loses_no_update") do
      report = explore(way, runs: 300)
      assert_nil report.failure&.message
      assert_equal 300, report.runs
    end
  end

  %i[store_and_fetch by_methods by_block].each do |way|
    define_method(:"test_#{way}_loses_updates") do
      %i[random pct portfolio].each do |strategy|
        failure = explore(way, runs: 300, strategy: strategy).failure
        assert failure, "#{strategy} found nothing"
        assert_equal "lost", failure.error.message
      end
    end

    define_method(:"test_#{way}_is_right_under_a_lock") do
      mutex = Mutex.new
      report = explore(way, runs: 200) { |add| mutex.synchronize(&add) }
      assert_nil report.failure&.message
    end

    define_method(:"test_#{way}_is_right_without_preemption") do
      assert_nil explore(way, runs: 50, preempt: :none).failure
    end
  end

  # The pool's idle test: the queue is empty, and what was taken off it is not yet counted.
  def test_a_thread_may_be_preempted_when_queue_pop_returns
    seen = []
    Raffia::Simulation.explore(runs: 200, seed: 1, strategy: :random) do
      queue = Queue.new
      queue << 1
      taken = nil
      thread = Thread.new { taken = queue.pop }
      seen << [queue.size, taken]
      thread.join
    end.raise!
    assert_includes seen, [0, nil]
  end

  def test_the_default_schedule_preempts_nothing
    assert_nil explore(:store_and_fetch, runs: 20, strategy: :fifo).failure
  end

  def test_nothing_is_switched_while_code_is_loaded
    Dir.mktmpdir do |folder|
      late = File.join(folder, "late.rb")
      File.write(late, "module Late; def self.add(x) = x + 1; end; Late.add(1)")
      report = Raffia::Simulation.explore(runs: 100, seed: 1) do
        Object.send(:remove_const, :Late) if defined?(::Late)
        $LOADED_FEATURES.delete_if { |path| path.end_with?("/late.rb") }
        Array.new(2) { Thread.new { require late } }.map(&:value).sort_by(&:to_s)
      end
      assert_nil report.failure&.message
    end
  end

  def test_patterns_put_gems_and_files_in_scope
    scope = Raffia::Simulation::Preemption::Scope.new(["connection_pool", "**/lib/raffia/task/**"])
    assert scope.include?("/x/gems/connection_pool-2.4.1/lib/connection_pool.rb")
    assert scope.include?(File.expand_path("../../../lib/raffia/task/channel.rb", __dir__))
    assert scope.include?(__FILE__)
    refute scope.include?("/x/gems/connection_pool_extra-2.4.1/lib/x.rb")
    refute scope.include?(File.expand_path("../../../lib/raffia/pool.rb", __dir__))
    refute scope.include?(File.expand_path("../../../lib/raffia/simulation/world.rb", __dir__))
    refute scope.include?("<internal:kernel>")
    refute scope.include?("#{RbConfig::CONFIG["rubylibdir"]}/monitor.rb")
  end

  private

  def explore(way, runs:, strategy: :portfolio, preempt: :cruby)
    Raffia::Simulation.explore(runs: runs, seed: 1, strategy: strategy, preempt: preempt) do
      counter = Counter.new
      add = -> { counter.public_send(way) }
      Array.new(2) { Thread.new { block_given? ? yield(add) : add.call } }.each(&:join)
      raise "lost" unless counter.total == 2
    end
  end
end
