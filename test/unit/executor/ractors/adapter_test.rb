# frozen_string_literal: true

require "test_helper"
require "raffia/pool"
require "raffia/executor/ractors/one_shot_worker"

# The seams between Rubies, with something in the place of what this Ruby does not have.
class ExecutorRactorAdapterTest < Raffia::TestCase
  Adapter = Raffia::Executor::Ractors::Adapter

  # Stands in for Ruby 4.0's Ractor: it has value and shareable_proc, and no take.
  class FromFourOn
    attr_reader :asked

    def value = :worth

    def shareable_proc(**keywords, &block)
      @asked = keywords
      block.dup
    end
  end

  def test_the_value_of_a_ractor_by_whichever_name
    assert_equal(:worth, Adapter.value(FromFourOn.new))
    ractor = Raffia::Process::ExperimentalWarning.silence { Ractor.new { 1 } }
    assert_equal(1, Adapter.value(ractor))
  end

  def test_a_block_without_a_self_by_whichever_way
    ractors = FromFourOn.new
    assert_equal(2, Adapter.detach(proc { |n| n + 1 }, ractors).call(1))
    assert_equal({self: nil}, ractors.asked)
    copy = Adapter.detach(proc { self }) or skip "needs the extension"
    assert_nil(copy.call)
  end

  def test_messages_and_frames
    assert_no_leaks do
      adapter = echo
      adapter.post("one")
      assert_equal("one", adapter.read)
      adapter.finish
      adapter.post("late") # nobody is there, and that is no error
    end
  end

  def test_what_is_abandoned_ends_with_its_next_frame
    assert_no_leaks do
      adapter = echo
      adapter.post("one")
      adapter.abandon
    end
  end

  def test_a_message_can_be_moved
    assert_no_leaks do
      adapter = echo
      text = +"moved"
      adapter.post(text, move: true)
      assert_equal("moved", adapter.read)
      assert(Ractor::MovedObject === text)
      adapter.finish
    end
  end

  def echo
    Adapter.new do |fd|
      Ractor.new(fd) do |given|
        Raffia::Executor::Ractors::Adapter.serve(given) do |writer|
          while (message = Ractor.receive)
            break unless writer.write(message)
          end
        end
      end
    end
  end

  def test_a_ractor_that_ends_without_a_word_is_noticed
    adapter = fd = nil
    assert_no_leaks do
      adapter = Adapter.new { |given| Adapter.start(fd = given) { |_| nil } }
      assert_nil adapter.read
      assert_nil adapter.last_words
      adapter.finish
      IO.for_fd(fd).close # which the Ractor should have done
    end
  end

  def test_what_ended_a_ractor_is_told_and_not_printed
    assert_no_leaks do
      adapter = nil
      printed = capture_subprocess_io do
        adapter = Adapter.new do |fd|
          Adapter.start(fd) { |given| Adapter.serve(given) { |_| raise IOError, "of the loop" } }
        end
        assert_nil adapter.read
      end
      assert_equal "IOError: of the loop", adapter.last_words
      assert_empty printed.join
      adapter.finish
    end
  end

  def test_a_ractor_that_cannot_be_made_leaves_nothing
    assert_no_leaks { assert_raises(ArgumentError) { Adapter.new { |_| raise ArgumentError } } }
  end

  # Two loops at once, of which the first goes first.
  def test_whether_threads_report_is_as_it_was
    workers = Array.new(2) { Raffia::Executor::Ractors::OneShotWorker.allocate }
    gates = Array.new(2) { Thread::Queue.new }
    inside = Thread::Queue.new
    threads = workers.zip(gates).map do |worker, gate|
      thread = Thread.new do
        worker.send(:unreported) { inside.push(Thread.report_on_exception) && gate.pop }
      end
      assert_equal(false, inside.pop && Thread.report_on_exception)
      thread
    end
    gates.zip(threads) { |gate, thread| gate.push(true) && thread.join }
    assert_equal(true, Thread.report_on_exception)
  ensure
    Thread.report_on_exception = true
  end
end
