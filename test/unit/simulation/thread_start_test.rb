# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

class SimulationThreadStartTest < Raffia::TestCase
  def test_a_new_thread_may_run_before_its_starter_goes_on
    assert_equal [%i[thread starter], %i[starter thread]].sort, orders(preempt: :cruby)
  end

  def test_a_new_thread_waits_for_its_starter_without_preemption
    assert_equal [%i[starter thread]], orders(preempt: :none)
  end

  private

  def orders(**options)
    seen = []
    Raffia::Simulation.explore(runs: 50, seed: 1, strategy: :random, **options) do
      order = []
      thread = Thread.new { order << :thread }
      order << :starter
      thread.join
      seen |= [order]
    end.raise!
    seen.sort
  end
end
