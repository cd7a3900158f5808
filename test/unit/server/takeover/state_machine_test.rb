# frozen_string_literal: true

require "test_helper"
require "raffia/server"

# Both sides of a takeover joined by queues of messages, without sockets. All orders of events are
# tried: messages cross, workers and probes fail, time passes, and either side is killed.
class TakeoverStateMachineTest < Raffia::TestCase
  Machine = Raffia::Server::Takeover::StateMachine
  # What happens inside of a side, by its state.
  OLD_EVENTS = {offered: %i[late stop], yielded: %i[late stop], trial: %i[late stop]}.freeze
  NEW_EVENTS = {booting: %i[serving stop], probing: %i[passed failed stop], ready: %i[failed stop],
                trial: %i[passed failed stop], confirming: %i[stop]}.freeze
  # States of a new side that does not serve.
  HELD = %i[booting probing ready failed].freeze

  # A state of the world. `accepting`: whether the old side does. `kills` are left.
  World = Data.define(:old, :new, :to_old, :to_new, :accepting, :stopped, :kills)
  START = World.new(old: :offered, new: :booting, to_old: [], to_new: [], accepting: true,
    stopped: false, kills: 1)

  def test_the_way_without_faults
    old, successor = Machine.old, Machine.new_side
    assert_equal [:offer], old.call(:hello)
    assert_equal [:probe], successor.call(:serving)
    assert_equal [:send_ready], successor.call(:passed)
    assert_equal %i[send_yielded], old.call(:ready)
    assert_equal %i[release send_commit try], successor.call(:yielded)
    assert_equal [:hold], old.call(:commit)
    assert_equal [:send_confirm], successor.call(:passed)
    assert_equal %i[send_left leave], old.call(:confirm)
    assert_equal [:own], successor.call(:left)
    assert_equal [:resize], successor.call(:eof)
    assert_equal %i[left alone], [old.state, successor.state]
  end

  def test_events_without_meaning_change_nothing
    old = Machine.old
    %i[ready commit confirm abort eof late stop].each { |event| assert_empty old.call(event) }
    assert_equal :idle, old.state
    successor = Machine.new_side
    assert_empty successor.call(:yielded)
    assert_equal :booting, successor.state
  end

  def test_both_sides_in_all_orders
    worlds = explore
    assert_operator worlds.size, :>, 200
    worlds.each { |world| assert_one_serves(world) }
    ends = worlds.select { |world| steps(world).empty? }
    refute_empty ends
    ends.each { |world| assert_settled(world) }
  end

  private

  def explore
    seen = {START => true}
    waiting = [START]
    while (world = waiting.shift)
      steps(world).each do |other|
        next if seen.key?(other)

        seen[other] = true
        waiting << other
      end
    end
    seen.keys
  end

  # All worlds that may follow.
  def steps(world)
    [*(receive(world, :old, :to_old) if world.to_old.any? && world.old != :dead),
      *(receive(world, :new, :to_new) if world.to_new.any? && world.new != :dead),
      *OLD_EVENTS.fetch(world.old, []).map { |event| happen(world, :old, event) },
      *NEW_EVENTS.fetch(world.new, []).map { |event| happen(world, :new, event) },
      *kills(world)].uniq
  end

  def receive(world, side, queue)
    event, *rest = world.public_send(queue)
    happen(world.with(queue => rest), side, event)
  end

  def kills(world)
    return [] if world.kills.zero?

    [*(unless %i[dead left].include?(world.old)
         world.with(old: :dead, accepting: false, to_new: [*world.to_new, :eof], to_old: [],
           kills: 0)
       end),
      *(world.with(new: :dead, to_old: [*world.to_old, :eof], to_new: [], kills: 0) unless
        %i[dead failed alone owner].include?(world.new))]
  end

  def happen(world, side, event)
    state = world.public_send(side)
    machine = Machine.new((side == :old) ? Machine::OLD : Machine::NEW, state)
    actions = machine.call(event)
    world = world.with(side => machine.state)
    world = world.with(stopped: true) if event == :stop
    other = (side == :old) ? :to_new : :to_old
    actions.inject(world) do |now, action|
      case action
      when :send_left, :leave, :disown
        now = now.with(accepting: false)
        (action == :send_left) ? now.with(to_new: [*now.to_new, :left]) : now
      when :send_abort
        # The channel is closed with it.
        now.with(other => [*now.public_send(other), :abort, :eof])
      when /\Asend_(.+)/ then now.with(other => [*now.public_send(other), $1.to_sym])
      when :hold then (side == :old) ? now.with(accepting: false) : now
      when :take_back then now.with(accepting: true)
      else now
      end
    end
  end

  # When the new side fails in its trial, the kernel's queues keep connections until the old one
  # gets the message. Otherwise one of them accepts.
  def assert_one_serves(world)
    return if world.accepting || world.stopped || two_faults?(world)
    return unless HELD.include?(world.new) || world.new == :dead

    assert world.to_new.any? || world.to_old.any? || world.old == :left,
      "nobody accepts, and nothing is under way: #{world}"
  end

  # The new side had failed, or was too late, and the old one was killed.
  def two_faults?(world) = world.old == :dead && world.new == :failed

  def assert_settled(world)
    refute world.accepting && %i[owner alone].include?(world.new), "two servers: #{world}"
    return if world.stopped || two_faults?(world)

    survivor = world.accepting || %i[owner alone].include?(world.new) ||
      (world.new == :dead && world.old == :left) # killed after it had everything
    assert survivor, "no server: #{world}"
  end
end
