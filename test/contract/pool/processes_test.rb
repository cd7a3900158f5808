# frozen_string_literal: true

require_relative "pool_contract"
require_relative "errors_contract"

class PoolProcessesTest < Raffia::TestCase
  include PoolContract
  include PoolErrorsContract

  def strategy = :processes

  def test_closures_reach_the_workers
    factor = 3
    helper = ->(n) { n * factor }
    run_on { |on| assert_equal([3, 6], Raffia.map([1, 2], **on) { |n| helper.call(n) }) }
  end

  def test_the_work_is_done_elsewhere
    run_on { |on| refute_includes(Raffia.map(1..20, **on) { ::Process.pid }, ::Process.pid) }
  end

  def test_items_of_an_array_need_not_be_dumpable
    run_on { |on| assert_equal([1, 2], Raffia.map([-> { 1 }, -> { 2 }], **on, &:call)) }
  end

  def test_items_of_a_stream_must_be_dumpable
    run_on do |on|
      error = assert_raises(Raffia::NotDumpable) { Raffia.map([1, -> { 2 }].each, **on) { |x| x } }
      assert_equal(1, error.index)
      assert_instance_of(Proc, error.item)
      assert_match(/item 1 \(Proc\) cannot be dumped.*Array/, error.message)
    end
  end

  def test_a_result_that_cannot_be_dumped_is_named
    run_on do |on|
      error = assert_raises(Raffia::NotDumpable) do
        Raffia.map([1, 2, 3], **on) { |n| (n == 2) ? -> {} : n }
      end
      assert_equal([2, 1], [error.item, error.index])
      assert_match(/result of item 1 .*Proc.*return plain data.*on: :threads/, error.message)
      assert_instance_of(TypeError, error.cause)
    end
  end

  def test_an_error_whose_class_is_unknown_here
    run_on do |on|
      error = assert_raises(Raffia::NotDumpable) do
        Raffia.map([1], **on) do
          raise Object.const_set(:FailedInTheChild, Class.new(StandardError)), "of the child"
        end
      end
      assert_match(/FailedInTheChild \(of the child\) of item 0/, error.message)
      assert(error.backtrace.any? { |line| line.include?(File.basename(__FILE__)) })
    end
  end

  def test_a_result_whose_class_is_unknown_here
    run_on do |on|
      error = assert_raises(Raffia::NotDumpable) do
        Raffia.map([1], **on) { Object.const_set(:BornInTheChild, Struct.new(:a)).new(1) }
      end
      assert_match(/BornInTheChild/, error.message)
    end
  end

  def test_each_drops_results_that_could_not_cross
    run_on { |on| assert_equal([1], Raffia.each([1], **on) { -> {} }) }
  end

  def test_a_killed_worker_is_named_with_its_item
    run_on do |on|
      error = assert_raises(Raffia::WorkerDied) do
        Raffia.map((0...10_000).to_a, **on) do |n|
          ::Process.kill(:KILL, ::Process.pid) if n == 5_000
        end
      end
      assert_equal(["SIGKILL", nil, 5_000, 5_000],
        [error.signal, error.status, error.item, error.index])
      assert_kind_of(Integer, error.pid)
      assert_match(/SIGKILL while it worked on item 5000/, error.message)
    end
  end

  def test_a_worker_that_exits_is_named_with_its_status
    run_on do |on|
      error = assert_raises(Raffia::WorkerDied) { Raffia.map([7], **on) { exit!(3) } }
      assert_equal([nil, 3, 7, 0], [error.signal, error.status, error.item, error.index])
    end
  end

  def test_what_a_killed_worker_had_is_done_by_others
    attempts = with_items(2_000, retries: 1) do |items, on|
      results = Raffia.map(items, **on) do |item|
        if Attempts.count(item) == 1 && item.last % 500 == 250
          ::Process.kill(:KILL, ::Process.pid)
        else
          item.last
        end
      end
      assert_equal((0...2_000).to_a, results)
    end
    [250, 750, 1250, 1750].each { |n| assert_operator(attempts[n], :>=, 2) }
  end

  def test_what_a_killed_worker_had_is_folded_once
    with_items(2_000, retries: 4) do |items, on|
      sum = Raffia.reduce(items, 0, combine: :+, **on) do |memo, item|
        if Attempts.count(item) == 1 && item.last % 500 == 250
          ::Process.kill(:KILL, ::Process.pid)
        else
          memo + item.last
        end
      end
      assert_equal((0...2_000).sum, sum)
    end
  end

  def test_an_item_that_kills_every_worker_is_named
    attempts = with_items(40, retries: 2) do |items, on|
      error = assert_raises(Raffia::WorkerDied) do
        Raffia.map(items, **on) do |item|
          (Attempts.count(item) && item.last == 30) ? exit!(9) : item
        end
      end
      assert_equal([9, items[30], 30], [error.status, error.item, error.index])
    end
    assert_equal(3, attempts[30])
  end

  def test_workers_that_never_begin_are_not_started_for_ever
    dying = Raffia::Fork.after_child { exit!(1) }
    run_on(retries: 1_000_000, backoff: 0) do |on|
      assert_raises(Raffia::WorkerDied) { Raffia.map([1, 2], **on) { |n| n } }
    end
  ensure
    dying.remove
  end

  def test_a_worker_that_cannot_be_interrupted_is_ended_when_its_item_overruns
    # long enough for the others on a busy machine
    with_items(6, item_timeout: 0.5, retries: 1) do |items, on|
      assert_equal((0...6).to_a, Raffia.map(items,
        **on) { |item|
          if Attempts.count(item) == 1 && item.last == 3
            ::Process.kill(:STOP, ::Process.pid)
          end
          item.last
        }) # standard:disable Style/Semicolon
    end
  end

  def test_ensure_blocks_run_when_an_item_overruns
    assert_cleans_up(item_timeout: 0.5) # the block has begun by then, on a busy machine too
  end

  def test_exit_in_the_block_is_the_callers
    run_on do |on|
      assert_equal(4, assert_raises(SystemExit) { Raffia.map([1], **on) { exit(4) } }.status)
    end
  end

  def test_a_deadline_kills_what_does_not_listen
    run_on(workers: 1) do |on|
      assert_raises(Raffia::TimeoutError) do
        Raffia.each([1], timeout: 0.05, **on) do
          trap(:TERM, "IGNORE")
          sleep
        end
      end
    end
  end

  def test_ensure_blocks_run_when_a_worker_is_stopped
    assert_cleans_up(workers: 1, timeout: 1) # as well
  end

  def test_calls_nest
    run_on do |on|
      assert_equal([[2, 4], [6]], Raffia.map([[1, 2], [3]],
        **on) { |row| Raffia.map(row, **on) { |n| n * 2 } })
    end
  end

  def test_several_calls_at_once
    run_on do |on|
      results = Array.new(4) { |k| Thread.new { Raffia.map(1..200, **on) { |n| n * k } } }
        .map(&:value)
      assert_equal(Array.new(4) { |k| (1..200).map { |n| n * k } }, results)
    end
  end

  def test_workers_do_not_read_the_callers_standard_input
    run_on { |on| assert_equal([nil], Raffia.map([1], **on) { $stdin.gets }) }
  end

  def test_what_workers_print_arrives
    out, = capture_subprocess_io {
      run_on { |on| Raffia.each(1..3, **on) { |n| $stdout.print("<#{n}>") } }
    }
    assert_equal(%w[<1> <2> <3>], out.scan(/<\d>/).sort)
  end

  private

  # A block that sleeps is ended by the limit, and its ensure runs in the worker.
  def assert_cleans_up(**limits)
    reader, writer = IO.pipe
    run_on(**limits) do |on|
      assert_raises(Raffia::TimeoutError) do
        Raffia.each([1], **on) do
          sleep
        ensure
          writer.write("cleaned")
        end
      end
    end
    writer.close
    assert_equal("cleaned", reader.read)
  ensure
    [reader, writer].each(&:close)
  end
end
