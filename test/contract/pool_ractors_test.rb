# frozen_string_literal: true

require "forwardable"
require_relative "pool_contract"

# What is special about Ractors, with and without the extension. Expectations that differ are methods of the classes.
module RactorContract
  include PoolContract

  # Nobody may hold a second piece of work while another Ractor has none.
  def test_as_many_long_items_as_ractors_are_worked_on_side_by_side
    where = Raffia.map([1, 2], on: :ractors, workers: 2, chunk: 1) do
      stop = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC) + 0.5
      nil while ::Process.clock_gettime(::Process::CLOCK_MONOTONIC) < stop
      ::Ractor.current.to_s
    end
    assert_equal 2, where.uniq.size
  end

  def test_results_that_cannot_be_dumped_are_named
    run_on do |on|
      error = assert_raises(Raffia::NotDumpable) { Raffia.map([1, 2, 3], **on) { |n| (n == 2) ? -> {} : n } }
      assert_equal([2, 1], [error.item, error.index])
    end
  end

  def test_a_captured_object_is_named
    list = [1]
    run_on do |on|
      error = assert_raises(Raffia::NotShareable) { Raffia.map([1], **on) { |n| list << n } }
      assert_equal(:list, error.variable)
      assert_match(/pool_ractors_test.rb:\d+/, error.location)
      assert_match(/uses list .*items, or run it on: :processes/m, error.message)
    end
  end

  def test_an_assigned_variable_is_named
    sum = 0
    run_on do |on|
      error = assert_raises(Raffia::NotShareable) { Raffia.each([1], **on) { |n| sum += n } }
      assert_equal(:sum, error.variable)
      assert_match(/uses sum /, error.message)
    end
    assert_equal(0, sum)
  end

  def test_an_instance_variable_is_named_and_not_nil
    @secret = 1
    run_on do |on|
      error = assert_raises(Raffia::NotShareable) { Raffia.map([1], **on) { |n| n + @secret } }
      assert_equal(:@secret, error.variable)
    end
  end

  def test_a_method_of_ones_own_is_named
    run_on { |on| assert_equal(:strategy, assert_raises(Raffia::NotShareable) { Raffia.map([1], **on) { strategy } }.variable) }
  end

  def test_yield_is_named
    assert_equal(:yield, assert_raises(Raffia::NotShareable) { yields { 1 } }.variable)
  end

  def yields
    Raffia.map([1], on: strategy, workers: 1) { yield }
  end

  def test_blocks_of_symbols_and_of_module_methods
    run_on do |on|
      assert_equal(%w[A B], Raffia.map(%w[a b], **on, &:upcase))
      assert_equal([2.0, 3.0], Raffia.map([4, 9], **on, &Math.method(:sqrt)))
    end
  end

  def test_a_method_of_an_unshareable_object_is_refused
    list = []
    error = assert_raises(Raffia::NotShareable) { Raffia.map([1], on: strategy, &list.method(:push)) }
    assert_match(/method of a Array/, error.message)
  end

  def test_items_that_cannot_be_copied
    run_on do |on|
      error = assert_raises(Raffia::NotShareable) { Raffia.map([1, Thread.current], **on) { |x| x } }
      assert_match(/Thread/, error.message)
    end
  end

  def test_calls_from_several_threads_at_once
    run_on do |on|
      results = Array.new(4) { Thread.new { Raffia.map(1..50, **on) { |n| n * 2 } } }.map(&:value)
      assert_equal([(1..50).map { |n| n * 2 }], results.uniq)
    end
  end

  def test_calls_beside_a_thread_that_waits_for_a_ractor_of_its_own
    run_on do |on|
      own = Ractor.new { Ractor.receive }
      waiting = Thread.new { Raffia::Pool::RactorAdapter.value(own) }
      assert_equal([2, 4], Raffia.map([1, 2], **on) { |n| n * 2 })
      own.send(:done)
      assert_equal(:done, waiting.value)
    end
  end
end

class PoolRactorsTest < Raffia::TestCase
  include RactorContract

  def setup
    skip "needs the extension" unless Raffia::Pool::PortableBlock.available?
  end

  def strategy = :ractors

  def test_shareable_captures_reach_the_workers
    factor = 3
    names = Ractor.make_shareable(%w[a b c])
    run_on { |on| assert_equal([[3, "b"], [6, "c"]], Raffia.map([1, 2], **on) { |n| [n * factor, names[n]] }) }
  end

  def test_a_worker_serves_many_items
    run_on(workers: 2) { |on| assert_operator(Raffia.map(1..200, **on) { Ractor.current.inspect[/#\d+/] }.uniq.size, :<=, 2) }
  end

  def test_a_shareable_input_is_not_copied
    items = Ractor.make_shareable(Array.new(10) { |n| "item #{n}" })
    run_on { |on| assert_equal(items.map(&:object_id), Raffia.map(items, **on, &:object_id)) }
  end

  def test_the_block_itself_stays_as_it_was
    block = proc { |n| n + 1 }
    run_on { |on| Raffia.map([1], **on, &block) }
    refute(Ractor.shareable?(block))
    assert_same(self, block.binding.receiver)
  end
end

# A new Ractor for each item: what there is without the extension.
class PoolLoneRactorsTest < Raffia::TestCase
  include RactorContract

  module LoneRactors
    extend SingleForwardable

    def_delegators "Raffia::Pool::Strategy::Ractors", :workers, :target, :crew, :around, :portable?

    def self.seats(plan, _input, _sizer, _options)
      Raffia::Pool::PortableBlock.check(plan.block)
      -> { Raffia::Pool::LoneRactorSeat.new(plan) }
    end
  end

  def strategy = LoneRactors
end
