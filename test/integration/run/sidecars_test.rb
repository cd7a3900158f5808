# frozen_string_literal: true

require_relative "../../test_helper"
require "logger"
require "raffia/actor"

# The actors that a server's or a job worker's process has beside its work.
class SidecarsTest < Raffia::TestCase
  class Slow < Raffia::Actor
    def hold(gate) = gate.pop
  end

  class Quick < Raffia::Actor
    def initialize(said) = @said = said

    def on_stop(reason) = @said << reason
  end

  def test_one_that_does_not_end_in_time_keeps_no_other_from_it
    said, gate, log = Thread::Queue.new, Thread::Queue.new, StringIO.new
    quick, slow = Quick.spawn(said), Slow.spawn
    held = slow.future.hold(gate)
    Raffia.run do |scope|
      Raffia::Run::Sidecars.new([-> { [quick, slow] }], Logger.new(log)).begin(scope) { flunk }
        .stop(0.01)
    end

    assert_equal :normal, said.pop(timeout: 60)
    assert_match(/Slow.* did not end in its time/, log.string)
    gate << :open
    assert_equal :open, held.value
  ensure
    Raffia::Actor.shutdown
  end
end
