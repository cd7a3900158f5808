# frozen_string_literal: true

require_relative "actor_parts_case"

class ActorTimersTest < Raffia::TestCase
  include ActorPartsCase

  def setup
    @core = Core.new
    @timers = Raffia::Actor::Timers.new(@core)
  end

  def start(repeat = false, &block) = @timers.start(2, repeat, &block || proc {})

  def test_a_timer_puts_its_block_into_the_mailbox
    timer = start { size }
    assert_equal([2, 1], [timer.seconds, @timers.size])
    assert_nil(timer.call.call)
    assert_equal(4, @core.mailbox.shift.invoke("text"))
  end

  def test_one_that_repeats_waits_in_the_mailbox_once
    timer = start(true)
    2.times { assert_equal(2, timer.call.call) }
    assert_equal(1, @core.mailbox.size)
    @core.mailbox.shift.invoke(nil)
    timer.call.call
    assert_equal(1, @core.mailbox.size)
  end

  def test_without_room_or_object_it_is_left_out
    timers = Array.new(2) { start }
    @core.status = :restarting
    timers.each { |timer| timer.call.call }
    assert_equal(0, @core.mailbox.size)
    @core.status = :running
    timers.each { |timer| timer.call.call }
    assert_equal(1, @core.mailbox.size)
  end

  def test_what_was_cancelled_is_not_wanted
    timer = start { flunk }
    timer.call.call
    timer.cancel
    assert_predicate(@core.mailbox.shift, :unwanted?)
    assert_equal(0, @timers.size)
  end

  def test_cancel_all
    timers = Array.new(3) { start }
    @timers.cancel_all
    assert(timers.all?(&:cancelled?))
    assert_equal(0, @timers.size)
  end

  def test_a_dead_actor_starts_none
    @core.dead = true
    assert_predicate(start, :cancelled?)
  end
end
