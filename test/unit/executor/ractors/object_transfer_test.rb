# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

class ObjectTransferTest < Raffia::TestCase
  def setup
    @tray = Raffia::Executor::Ractors::ObjectTransfer.tray or skip "needs the extension"
  end

  def test_what_was_put_is_taken_by_its_number
    assert_predicate(@tray, :frozen?)
    assert_equal([0, 1], [@tray.put("a"), @tray.put("b")])
    assert_equal("a", @tray.take(0))
    assert_equal("b", @tray.take(1))
    assert_raises(IndexError) { @tray.take(1) }
    assert_raises(IndexError) { @tray.take(2) }
  end

  def test_what_nobody_asked_for_is_dropped
    3.times { |n| @tray.put(n) }
    assert_equal(2, @tray.take(2))
    assert_raises(IndexError) { @tray.take(0) }
  end

  def test_it_is_full_at_some_time_and_goes_round
    assert_equal([*0..7, nil], Array.new(9) { |n| @tray.put(n) })
    assert_equal(7, @tray.take(7))
    20.times { |n| assert_equal(n, @tray.take(@tray.put(n))) }
  end

  def test_only_what_is_shareable_goes_in
    assert_raises(ArgumentError) { @tray.put([]) }
  end

  def test_what_is_in_it_survives_collections
    number = @tray.put(Ractor.make_shareable([+"kept"]))
    GC.start
    assert_equal(["kept"], @tray.take(number))
  end

  def test_a_full_tray_leaves_the_strings_in_the_reply
    8.times { |n| @tray.put(n) }
    reply = Raffia::Executor::Reply.new(["x" * 70_000])
    assert_equal(["x" * 70_000], Raffia::Executor::Ractors::ObjectTransfer.deposit(reply, @tray).value)
  end
end
