# frozen_string_literal: true

require "forwardable"
require "raffia"
require_relative "pool_contract"
require_relative "errors_contract"

# The special rules of Ractors, with and without the extension. Expectations that differ are methods
# of the classes.
module RactorContract
  include PoolContract
  include PoolErrorsContract

  # No Ractor may hold a second piece of work while another Ractor has none.
  def test_as_many_long_items_as_ractors_are_worked_on_side_by_side
    where = Raffia.map([1, 2], on: :ractors, workers: 2, chunk: 1) do
      stop = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC) + 0.5
      nil while ::Process.clock_gettime(::Process::CLOCK_MONOTONIC) < stop
      ::Ractor.current.to_s
    end
    assert_equal 2, where.uniq.size
  end

  # On Ruby 3.4 error_highlight would require prism here, which may freeze the whole process.
  def test_formatting_an_error_loads_nothing
    messages = Raffia.map(%i[no_such_method + first], on: strategy, workers: 1) do |name|
      ((name == :first) ? [] : 1).public_send(name, *(["1"] unless name == :no_such_method))
    rescue => error
      error.full_message(highlight: false)
    end
    messages.zip([/undefined method/, /coerced/, /no implicit conversion/]) do |message, words|
      assert_match words, message
      refute_includes message, "^^^"
    end
    snippet = begin
      nil.no_such_method
    rescue NoMethodError => error
      error.detailed_message
    end
    assert_includes snippet, "^^^", "the main Ractor keeps its messages"
  end

  def test_suggestions_are_there_in_ractors_too
    message, = Raffia.map([1], on: strategy, workers: 1) do |n|
      n.upton(1)
    rescue => error
      error.detailed_message(highlight: false)
    end
    assert_match(/Did you mean\?  upto/, message)
  end

  def test_a_result_that_answers_nothing_arrives
    run_on do |on|
      assert_equal [true, true], Raffia.map([1, 2], **on) { BasicObject.new }
        .map { |result| BasicObject === result }
      assert_equal 2, Raffia.filter_map([1, 2], **on) { BasicObject.new }.size
    end
  end

  class Unspeakable < StandardError
    def message = raise("no message")
    def backtrace = raise("no backtrace")
    def marshal_dump = raise(NoMemoryError, "no dump")
  end

  def test_an_error_that_answers_nothing_ends_the_call
    error = begin
      Raffia.map([1], on: strategy, workers: 1) { raise Unspeakable }
    rescue Unspeakable => error
      error
    end
    assert_equal 1, error.item
  end

  def test_a_timeout_in_a_block_interrupts_its_waits
    run_on do |on|
      assert_raises(Raffia::TimeoutError) do
        Raffia.map([1], **on) { Raffia.timeout(0.02) { sleep } }
      end
      assert_equal [2], Raffia.map([1], **on) { |n| Raffia.timeout(20) { sleep(0.001) && n + 1 } }
      assert_equal [:broken], Raffia.map([1], **on) { |_| Raffia.timeout(20) { break :broken } }
      assert_equal [:thrown], Raffia.map([1],
        **on) { |_| catch(:tag) { Raffia.timeout(20) { throw :tag, :thrown } } }
    end
  end

  def test_results_that_cannot_be_dumped_are_named
    run_on do |on|
      error = assert_raises(Raffia::NotDumpable) do
        Raffia.map([1, 2, 3], **on) { |n| (n == 2) ? -> {} : n }
      end
      assert_equal([2, 1], [error.item, error.index])
    end
  end

  def test_a_captured_object_is_named
    list = [1]
    run_on do |on|
      error = assert_raises(Raffia::NotShareable) { Raffia.map([1], **on) { |n| list << n } }
      assert_equal(:list, error.variable)
      assert_match(/ractors_test.rb:\d+/, error.location)
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
    run_on do |on|
      assert_equal(:strategy,
        assert_raises(Raffia::NotShareable) { Raffia.map([1], **on) { strategy } }.variable)
    end
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
    error = assert_raises(Raffia::NotShareable) do
      Raffia.map([1], on: strategy, &list.method(:push))
    end
    assert_match(/method of an Array/, error.message)
  end

  def test_items_that_cannot_be_copied
    run_on do |on|
      error = assert_raises(Raffia::NotShareable) do
        Raffia.map([1, Thread.current], **on) { |x| x }
      end
      assert_match(/Thread/, error.message)
    end
  end

  TABLE = {1 => 2} # standard:disable Style/MutableConstant

  def test_a_constant_is_named_before_anything_runs
    run_on do |on|
      error = assert_raises(Raffia::NotShareable) { Raffia.map([1], **on) { |n| TABLE[n] } }
      assert_equal(:TABLE, error.variable)
      assert_nil(error.cause)
    end
  end

  # A violation that shows only at run time raises the same message, with the item.
  def test_what_is_found_in_the_ractor_is_named_too
    run_on do |on|
      error = assert_raises(Raffia::NotShareable) do
        Raffia.map([1, 2], **on) { |n| (n == 2) ? RactorContract.const_get(:TABLE) : n }
      end
      assert_equal(:"RactorContract::TABLE", error.variable)
      assert_instance_of(Ractor::IsolationError, error.cause)
      assert_equal([2, 1], [error.item, error.item_index])
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
      waiting = Thread.new { Raffia::Executor::Ractors::Adapter.value(own) }
      assert_equal([2, 4], Raffia.map([1, 2], **on) { |n| n * 2 })
      own.send(:done)
      assert_equal(:done, waiting.value)
    end
  end
end

class PoolRactorsTest < Raffia::TestCase
  include RactorContract

  def setup
    skip "needs the extension" unless Raffia::Executor::Ractors::PortableBlock.available?
  end

  def strategy = :ractors

  def test_shareable_captures_reach_the_workers
    factor = 3
    names = Ractor.make_shareable(%w[a b c])
    run_on do |on|
      assert_equal([[3, "b"], [6, "c"]], Raffia.map([1, 2], **on) { |n| [n * factor, names[n]] })
    end
  end

  def test_a_worker_serves_many_items
    run_on(workers: 2) do |on|
      assert_operator(Raffia.map(1..200, **on) { Ractor.current.inspect[/#\d+/] }.uniq.size, :<=, 2)
    end
  end

  def test_a_shareable_input_is_not_copied
    items = Ractor.make_shareable(Array.new(10) { |n| "item #{n}" })
    run_on { |on| assert_equal(items.map(&:object_id), Raffia.map(items, **on, &:object_id)) }
  end

  LONG = 100_000

  def test_long_strings_go_and_come_back_as_they_are
    items = [+"a" * LONG, "b" * LONG, ("c" * LONG).freeze, "d", ("\xff" * LONG).b]
    [items, items.each].each do |input|
      run_on(workers: 2) do |on|
        results = Raffia.map(input, **on) { |text| text.frozen? ? text + "!" : text << "!" }
        assert_equal(items.map { |text| text + "!" }, results)
        assert_equal([Encoding::UTF_8] * 4 + [Encoding::BINARY], results.map(&:encoding))
        assert(results.none?(&:frozen?))
        assert_equal([LONG, LONG, LONG, 1, LONG], items.map(&:bytesize))
        assert_equal([false, false, true, true, false], items.map(&:frozen?))
      end
    end
  end

  def test_many_long_results_among_others
    run_on(workers: 2, chunk: 5) do |on|
      results = Raffia.map(1..100, **on) { |n| n.even? ? n.to_s * LONG : n }
      assert_equal((1..100).map { |n| n.even? ? n.to_s * LONG : n }, results)
      assert_equal("7" *
        LONG,
        Raffia.reduce([1, 2], "7", combine: ->(a, b) { [a, b].max_by(&:size) },
          **on) { |text, _| text * LONG }[0, LONG])
    end
  end

  # A String that can be dumped beside one that cannot: what was left for the driver then is not
  # taken for the next.
  def test_long_results_beside_one_that_cannot_be_dumped
    Raffia::Pool.open(on: :ractors, workers: 1,
      work: proc { |n| (n == 2) ? -> {} : n.to_s * LONG }
        .then { |block| shareable(block) }) do |pool|
      futures = Array.new(4) { |n| pool.submit(n) }
      assert_equal(["0" * LONG, "1" * LONG, "3" * LONG], futures.values_at(0, 1, 3).map(&:value))
      assert_raises(Raffia::NotDumpable) { futures[2].value }
    end
  end

  def shareable(block) = Ractor.make_shareable(Raffia::Native.rebind_self(block, nil))

  def test_items_can_be_moved
    items = Array.new(4) { |n| ["item #{n}"] }
    run_on(workers: 2, move: true) do |on|
      assert_equal(["item 0!", "item 1!", "item 2!", "item 3!"],
        Raffia.map(items, **on) { |list| list.first << "!" })
      assert(items.all? { |item| Ractor::MovedObject === item })
      items = Array.new(4) { |n| ["item #{n}"] }
    end
  end

  def test_what_is_shareable_is_not_moved
    items = Ractor.make_shareable([["a"], ["b"]])
    run_on(move: true) { |on| assert_equal([1, 1], Raffia.map(items, **on, &:size)) }
    assert_equal([["a"], ["b"]], items)
  end

  def test_ios_can_be_moved_and_not_copied
    reader, writer = IO.pipe
    writer << "hello"
    writer.close
    assert_equal(["hello"], Raffia.map([reader], on: :ractors, workers: 1,
      move: true) { |io| io.read.tap { io.close } })
    assert(Ractor::MovedObject === reader)
  end

  def test_errors_about_what_was_moved
    error = assert_raises(RuntimeError) do
      Raffia.map([["a"], ["b"]], on: :ractors, workers: 1, move: true) do |list|
        raise "no" if list == ["b"]
      end
    end
    assert_equal(1, error.item_index)
    assert_match(/item 1: moved to its Ractor/, error.detailed_message)
    items = [["a"], Thread.current]
    error = assert_raises(Raffia::NotShareable) do
      Raffia.map(items, on: :ractors, workers: 1, chunk: 2, move: true) { |x| x }
    end
    assert_match(/item 1 \(Thread\) cannot be moved/, error.message)
    assert_raises(Raffia::ConfigError) do
      Raffia.map([1], on: :ractors, move: true, retries: 1) { |x| x }
    end
  end

  # A module method, because a running Ractor accepts it.
  module Work
    def self.call(number) = number * 2
  end

  def test_a_pool_takes_a_method_a_shareable_lambda_or_its_block
    factor = 2
    blocks = [Work.method(:call).to_proc, shareable(->(n) { n * 2 }), ->(n) { n * factor }]
    blocks.each do |block|
      assert_no_leaks do
        Raffia::Pool.open(on: :ractors, workers: 2, work: block) do |pool|
          assert_equal([2, 4, 6], pool.map([1, 2, 3]))
        end
      end
    end
    assert_no_leaks do
      Raffia::Pool.open(on: :ractors, work: Work.method(:call)) do |pool|
        assert_equal(8, pool.submit(4).value)
      end
    end
  end

  def test_a_pool_refuses_what_no_ractor_can_be_given_when_it_is_made
    list = []
    @own = 1
    {list: proc { |n| list << n }, "@own": proc { @own }, TABLE: proc { |n| TABLE[n] },
     self: list.method(:push).to_proc}.each do |variable, block|
      assert_no_leaks do
        assert_equal(variable,
          assert_raises(Raffia::NotShareable) { Raffia::Pool.new(on: :ractors, workers: 1, &block) }
            .variable)
      end
    end
    assert_match(/give it to Raffia::Pool.new/,
      assert_raises(Raffia::ConfigError) { Raffia::Pool.new(on: :ractors) }.message)
  end

  def test_arguments_can_be_moved_to_a_pool
    Raffia::Pool.open(on: :ractors, workers: 1, move: true, work: :size.to_proc) do |pool|
      list = [1, 2]
      assert_equal(2, pool.submit(list).value)
      assert(Ractor::MovedObject === list)
    end
  end

  def test_the_block_itself_stays_as_it_was
    block = proc { |n| n + 1 }
    run_on { |on| Raffia.map([1], **on, &block) }
    refute(Ractor.shareable?(block))
    assert_same(self, block.binding.receiver)
  end
end

# A new Ractor for each item: what there is without the extension.
class PoolOneShotRactorsTest < Raffia::TestCase
  include RactorContract

  module OneShotRactors
    extend SingleForwardable

    def_delegators "Raffia::Executor::Ractors", :check, :capacity, :granularity, :in_caller?,
      :local?, :group, :background_group, :around, :batch_limit, :overrun_grace

    def self.workers(service, limits)
      Raffia::Executor::Ractors::PortableBlock.check(service.block)
      -> { Raffia::Executor::Ractors::OneShotWorker.new(service, limits.item_timeout) }
    end
  end

  def strategy = OneShotRactors
end
