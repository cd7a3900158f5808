# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

class PoolStrategyTest < Raffia::TestCase
  def refused(name)
    assert_raises(Raffia::ConfigError) { Raffia.map([1], on: name) { |n| n } }.message
  end

  def test_unknown_strategies
    assert_equal("on: :thread is not a strategy: use one of :inline, :fibers, :threads, " \
      ":ractors, :processes, :auto", refused(:thread))
    assert_match(/on: "threads" is not a strategy \(a Symbol is meant, :threads\)/,
      refused("threads"))
    # another test may have loaded it
    assert_equal(" before `require \"raffia/jobs\"`", Raffia::Pool::Strategy.send(:hint, :jobs))
    assert_match(/on: nil is not/, refused(nil))
    assert_raises(Raffia::ConfigError) { Raffia::Pool.new(on: :none) }
  end

  def test_default_workers
    options = Raffia::Pool::Options.new
    usual = Raffia.config.workers || Raffia::Pool::Cpus.count
    all = Raffia::Pool::Strategy::ALL
    assert_equal({inline: 1, fibers: 256, threads: usual, ractors: usual, processes: usual},
      all.transform_values { |strategy| strategy.workers(options) })
    assert_equal(7, all[:fibers].workers(Raffia::Pool::Options.new(limit: 7)))
    assert_equal(3, all[:threads].workers(Raffia::Pool::Options.new(workers: 3)))
  end

  def test_every_strategy_says_what_the_interface_asks
    Raffia::Pool::Strategy::ALL.each_value do |strategy|
      %i[workers target crew standing_crew seats around portable?].each do |name|
        assert_respond_to(strategy, name)
      end
    end
  end
end
