# frozen_string_literal: true

require_relative "actor_parts_case"

class ActorWaitGraphTest < Raffia::TestCase
  include ActorPartsCase

  Graph = Raffia::Actor::WaitGraph

  # A message that its actor handles.
  def handled(core, parent = nil)
    message = Raffia::Actor::Message.new(core, :"for_#{core.ref}", [], nil, nil, nil, nil, parent)
    core.current = message
    message.define_singleton_method(:underway?) { true }
    message
  end

  def setup
    @one, @two, @three = %i[one two three].map { |name| Core.new(name) }
  end

  def test_the_chain_of_those_that_wait
    first = handled(@one)
    second = handled(@two, first)
    third = handled(@three, second)
    assert_equal([third, second, first], Graph.chain(third))
  end

  def test_the_path_up_to_a_message_of_the_same_actor
    first = handled(@one)
    second = handled(@two, first)
    back = Raffia::Actor::Message.new(@one, :back, [], nil, nil, nil, nil, second)
    assert_equal([back, second, first], Graph.path_up(@one, back))
    assert_nil(Graph.path_up(@three, back))
  end

  def test_a_cycle_of_waits
    first, second, third = [@one, @two, @three].map { |core| handled(core) }
    first.expect(second)
    second.expect(third)
    assert_nil(Graph.path(@three, handled(Core.new(:other))))
    third.expect(first)
    assert_equal([first, second], Graph.path(@three, second))
    third.rest
    assert_nil(Graph.path(@three, second))
  end

  def test_an_endless_path_that_does_not_come_back_ends
    first, second = [@one, @two].map { |core| handled(core) }
    first.expect(second)
    second.expect(first)
    assert_nil(Graph.path(@one, handled(@three)))
  end

  def test_the_error_names_the_calls
    error = assert_raises(Raffia::CallCycle) { Graph.refuse([handled(@one), handled(@two)]) }
    assert_equal(%w[one#for_one two#for_two], error.calls)
  end
end
