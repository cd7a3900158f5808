# frozen_string_literal: true

require "test_helper"
require "raffia/base"

class ForkTest < Raffia::TestCase
  def setup = need_fork

  # Forks in different ways, and returns what the child wrote.
  def child(way)
    reader, writer = IO.pipe
    pid = way.call do
      reader.close
      yield writer
    ensure
      exit!(0)
    end
    writer.close
    reader.read
  ensure
    [reader, writer].each(&:close)
    ::Process.wait(pid)
  end

  def test_runs_in_the_child_in_order_and_not_in_the_parent
    ran = []
    handles = [Raffia::Fork.after_child { ran << 1 }, Raffia::Fork.after_child { ran << 2 }]
    assert_no_leaks do
      [method(:fork), ::Process.method(:fork)].each do |way|
        assert_equal "[1, 2]", child(way) { |out| out << ran.inspect }
      end
    end
    assert_empty ran
  ensure
    handles.each(&:remove)
  end

  def test_removed_ones_do_not_run
    ran = []
    handle = Raffia::Fork.after_child { ran << 1 }
    assert_nil handle.remove
    handle.remove
    assert_equal "[]", child(method(:fork)) { |out| out << ran.inspect }
  end

  def test_one_that_fails_does_not_keep_the_others_from_running
    ran = []
    handles = [Raffia::Fork.after_child { raise "broken" }, Raffia::Fork.after_child { ran << 2 }]
    out = nil
    capture_io { out = child(method(:fork)) { |pipe| pipe << ran.inspect } } # the child's warning
    assert_equal "[2]", out
  ensure
    handles.each(&:remove)
  end

  def test_the_failure_is_reported
    handle = Raffia::Fork.after_child { raise "broken" }
    _, warning = capture_io { Raffia::Fork.run_in_child }
    assert_match(/fork callback failed.*broken/, warning)
  ensure
    handle.remove
  end

  def test_needs_a_block
    assert_raises(ArgumentError) { Raffia::Fork.after_child }
  end
end
