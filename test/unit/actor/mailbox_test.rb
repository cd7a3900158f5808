# frozen_string_literal: true

require "test_helper"
require "raffia/actor"

class ActorMailboxTest < Raffia::TestCase
  Actor = Raffia::Actor

  def mailbox(**options) = Actor::Mailbox.new(Actor::Settings.new(**options))

  def named(name, reply = nil) = Actor::Message.new(nil, name, [], nil, nil, reply, nil, nil)

  def names(mailbox)
    [].tap do |names|
      while (message = mailbox.shift)
        names << message.name
      end
    end
  end

  def test_in_order
    box = mailbox
    assert_predicate(box, :empty?)
    %i[a b c].each { |name| assert_nil(box.push(named(name)) { true }) }
    assert_equal(3, box.size)
    assert_equal(%i[a b c], names(box))
    assert_predicate(box, :empty?)
  end

  def test_messages_of_the_system_go_first_and_do_not_count
    box = mailbox(mailbox: 1)
    box.push(named(:a)) { true }
    box.urge(named(:system))
    assert_equal(1, box.size)
    assert_equal(%i[system a], names(box))
    box.urge(named(:system))
    box.discard_urgent
    assert_nil(box.shift)
  end

  def test_reject
    box = mailbox(mailbox: 1, when_full: :reject)
    box.push(named(:a)) { true }
    assert_predicate(box, :full?)
    assert_equal(1, assert_raises(Raffia::Full) { box.push(named(:b)) { true } }.limit)
  end

  def test_drop_newest
    box = mailbox(mailbox: 1, when_full: :drop_newest)
    box.push(named(:a)) { true }
    assert_same(late = named(:b), box.push(late) { true })
    assert_equal([[:a], 1], [names(box), box.dropped])
  end

  def test_drop_oldest_leaves_stops_and_timers
    box = mailbox(mailbox: 2, when_full: :drop_oldest)
    box.push(Actor::StopMessage.new(nil, :normal, true)) { true }
    box.push(named(:a)) { true }
    assert_equal(:a, box.push(named(:b)) { true }.name)
    assert_equal(%i[stop b], names(box))
  end

  def test_a_sender_that_waits_gets_the_next_free_place
    box = mailbox(mailbox: 1)
    box.push(named(:a)) { true }
    waiters = %i[b c].map { |name| box.push(named(name)) { true } }
    assert_equal(2, box.senders)
    waiters.first.settle # has gone
    assert_equal(:a, box.shift.name)
    assert_predicate(waiters.last, :settled?)
    assert_equal([[:c], 0], [names(box), box.senders])
  end

  def test_a_sender_that_cannot_wait_is_refused
    box = mailbox(mailbox: 1)
    box.push(named(:a)) { true }
    assert_raises(Raffia::Full) { box.push(named(:b)) { false } }
  end

  def test_delete_makes_room
    box = mailbox(mailbox: 2)
    first, second = named(:a), named(:b)
    [first, second].each { |one| box.push(one) { true } }
    waiter = box.push(named(:c)) { true }
    assert_same(second, box.delete(second))
    assert_predicate(waiter, :settled?)
    assert_nil(box.delete(second))
    assert_same(first, box.delete(first))
    assert_equal([:c], names(box))
  end

  def test_clear_answers_with_all_that_waited
    box = mailbox(mailbox: 1)
    box.push(named(:a, one = Actor::Future.new)) { true }
    waiter = box.push(named(:b, other = Actor::Future.new)) { true }
    assert_equal([one, waiter, other], box.clear)
    assert_predicate(box, :empty?)
  end
end
