# frozen_string_literal: true

require "test_helper"
require "raffia/run"

# How a thing that a fiber waits for is described where something is wrong.
class SchedulerWaitTextTest < Raffia::TestCase
  def describe(object) = Raffia::Scheduler::WaitText.describe(:block, object, nil, nil)

  def test_locks_and_queues
    lock, queue = Thread::Mutex.new, Thread::Queue.new([1, 2])
    assert_equal Kernel.instance_method(:to_s).bind_call(lock), describe(lock)
    assert_match(/\A#<Thread::Queue:0x\h+> \(2 in it\)\z/, describe(queue))
    assert_match(/ \(2 in it, closed\)\z/, describe(queue.close))
    assert_equal "a lock inside of Ruby", describe(nil)
  end

  def test_objects_by_their_own_inspect_only
    assert_match(/\A#<Object:0x\h+>\z/,
      describe(Object.new.tap { _1.instance_variable_set(:@a, 1) }))
    assert_equal "1..2, x", describe([1..2, "x"])
    assert_equal "#{"a" * 120}...", describe(Struct.new(:text) {
      def inspect
        text
      end
    }.new("a" * 121))
    assert_equal "a" * 120, describe(Struct.new(:text) { def inspect = text }.new("a" * 120))
    broken = Class.new { def inspect = raise(KeyError) }.new
    assert_match(/\A#<#<Class:0x\h+>:0x\h+> \(KeyError in its inspect\)\z/, describe(broken))
  end

  def test_ios
    read, write = IO.pipe
    assert_equal "IO pipe", describe(read)
    read.close
    assert_equal "IO, closed", describe(read)
    assert_equal "readable or writable: IO pipe",
      Raffia::Scheduler::WaitText.describe(:io, write, IO::READABLE | IO::WRITABLE, nil)
  ensure
    [read, write].each(&:close)
  end
end
