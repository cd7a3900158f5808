# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

class ObjectTransferTest < Raffia::TestCase
  def setup
    @mailbox = Raffia::Executor::Ractors::ObjectTransfer.mailbox or skip "needs the extension"
  end

  def test_what_was_put_is_taken_by_its_number
    assert_predicate(@mailbox, :frozen?)
    assert_equal([0, 1], [@mailbox.put("a"), @mailbox.put("b")])
    assert_equal("a", @mailbox.take(0))
    assert_equal("b", @mailbox.take(1))
    assert_raises(IndexError) { @mailbox.take(1) }
    assert_raises(IndexError) { @mailbox.take(2) }
  end

  def test_what_nobody_asked_for_is_dropped
    3.times { |n| @mailbox.put(n) }
    assert_equal(2, @mailbox.take(2))
    assert_raises(IndexError) { @mailbox.take(0) }
  end

  def test_it_is_full_at_some_time_and_goes_round
    assert_equal([*0..7, nil], Array.new(9) { |n| @mailbox.put(n) })
    assert_equal(7, @mailbox.take(7))
    20.times { |n| assert_equal(n, @mailbox.take(@mailbox.put(n))) }
  end

  def test_only_what_is_shareable_goes_in
    assert_raises(ArgumentError) { @mailbox.put([]) }
  end

  def test_what_is_in_it_survives_collections
    number = @mailbox.put(Ractor.make_shareable([+"kept"]))
    GC.start
    assert_equal(["kept"], @mailbox.take(number))
  end

  def test_a_full_tray_leaves_the_strings_in_the_reply
    8.times { |n| @mailbox.put(n) }
    reply = Raffia::Executor::Reply.new(["x" * 70_000])
    deposited = Raffia::Executor::Ractors::ObjectTransfer.deposit(reply, @mailbox)
    assert_equal(["x" * 70_000], deposited.value)
  end
end
