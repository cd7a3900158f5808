# frozen_string_literal: true

require_relative "actor_parts_case"

class ActorExitSignalTest < Raffia::TestCase
  include ActorPartsCase

  Signal = Raffia::Actor::ExitSignal

  def call_of(reply) = Raffia::Actor::Message.new(Core.new, :work, [], nil, nil, reply, nil, nil)

  def test_the_first_counts_unless_a_final_one_follows
    first = Signal.new(:first, false)
    assert_same(first, first.over(nil))
    assert_nil(Signal.new(:second, false).over(first))
    final = Signal.new(:final, true)
    assert_equal([:final, true], final.over(first).then { |signal| [signal.reason, signal.final?] })
    assert_nil(Signal.new(:later, true).over(final))
  end

  def test_the_message_that_failed_is_kept_for_its_caller
    error = RuntimeError.new("boom")
    failed = Signal.new(error, false, call_of(reply = Raffia::Actor::Future.new), error)
    Signal.new(:shutdown, true).over(failed).answer
    assert_same(error, reply.error)
  end

  def test_last
    signal = Signal.new(:why, false)
    assert_predicate(signal.last, :final?)
    assert_same(signal.last.reason, signal.reason)
    final = Signal.new(:why, true)
    assert_same(final, final.last)
  end

  def test_only_a_stop_is_graceful
    refute_predicate(Signal.new(:why, true), :graceful?)
    assert_predicate(Raffia::Actor::GracefulExit.new(:why, true), :graceful?)
  end
end
