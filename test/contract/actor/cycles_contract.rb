# frozen_string_literal: true

require_relative "shared_contract"

# Chains of calls that are no cycles, and cycles of senders that wait for a full mailbox.
module ActorCyclesContract
  include ActorCase

  Puppet = ActorSharedContract::Puppet

  def puppet(*, **) = spawn(Puppet, *, **)

  # @return [Thread::Queue] that lets the actor go on
  def held(actor)
    gate = Thread::Queue.new
    actor.async.perform { gate.pop }
    wait_until { gate.num_waiting == 1 }
    gate
  end

  # The caller has had no turn yet to notice its answer.
  def test_an_answered_message_does_not_wait
    with_actors do
      one, two = puppet, puppet
      gate = held(one)
      first = two.future.perform { one.perform { 1 } }
      wait_until { waits?(two) }
      second = one.future.perform { two.perform { 2 } }
      gate.push(:open)
      assert_equal([1, 2], [first.value, second.value])
    end
  end

  def test_what_was_refused_as_a_circle_is_not_done
    with_actors do
      done = Thread::Queue.new
      one, two = puppet(expects: [Raffia::CallCycle]), puppet(done)
      gate = Thread::Queue.new
      first = one.future.perform { gate.pop && two.note(:never) }
      wait_until { gate.num_waiting == 1 }
      second = two.future.perform { one.perform { 2 } }
      wait_until { waits?(two) }
      gate.push(:open)
      assert_raises(Raffia::CallCycle) { first.value }
      assert_equal(2, second.value)
      two.stop
      two.join
      assert_equal([:start, [:stop, :normal]], Array.new(done.size) { done.pop })
    end
  end

  # Neither of them wants an answer, but each wants a place in the other's mailbox.
  def test_a_circle_of_those_that_wait_for_room
    with_actors do
      done = Thread::Queue.new
      one, two = puppet(mailbox: 1, expects: [Raffia::CallCycle]), puppet(done, mailbox: 1)
      gate = Thread::Queue.new
      first = one.future.perform { gate.pop && two.async.note(:never) }
      wait_until { gate.num_waiting == 1 }
      one.async.echo(0)
      second = two.future.perform { one.async.echo(1) || :sent }
      wait_until { waits?(two) }
      two.async.note(:kept)
      gate.push(:open)
      assert_match(/room for .*#note.*more room/,
        assert_raises(Raffia::CallCycle) { first.value }.message)
      assert_equal(:sent, second.value)
      two.stop
      two.join
      assert_equal([:start, :kept, [:stop, :normal]], Array.new(done.size) { done.pop })
    end
  end

  # A publisher must not wait for a subscriber that waits for it. The others get the message.
  def test_a_circle_of_those_that_wait_for_room_in_what_is_published
    with_actors do
      heard = Thread::Queue.new
      publisher, full, other = puppet(mailbox: 1), puppet(mailbox: 1), puppet(heard)
      [full, other].each do |one|
        one.perform { subscribe("circle") { |_, item| @events&.push(item) } }
      end
      gate = Thread::Queue.new
      took = publisher.future.perform { gate.pop && Raffia::Actor.publish("circle", :news) }
      wait_until { gate.num_waiting == 1 }
      publisher.async.echo(0)
      sent = full.future.perform { publisher.async.echo(1) || :sent }
      wait_until { waits?(full) }
      full.async.echo(:kept)
      gate.push(:open)
      assert_equal([1, :sent], [took.value, sent.value])
      assert_equal([:start, :news], [heard.pop, heard.pop])
      assert_match(/was dropped.*room for/, logged)
      assert_equal({subscribers: 2, delivered: 1, dropped: 1}, Raffia::Actor.topics["circle"])
    end
  end

  # A future is no wait, and neither is an actor that has been asked for one.
  def test_futures_that_cross_are_no_circle
    with_actors do
      one, two = puppet, puppet
      gate = held(one)
      first = two.future.perform { one.future.echo(1) }
      second = one.future.perform { two.perform { 2 } }
      gate.push(:open)
      assert_equal([1, 2], [first.value.value, second.value])
    end
  end
end
