# frozen_string_literal: true

require "test_helper"
require "raffia/server"
require "raffia/server/connection_balancer"

class ServerConnectionBalancerTest < Raffia::TestCase
  Balancer = Raffia::Server::ConnectionBalancer

  def test_connections_move_where_there_are_several_processes
    skip "connections move on Linux" unless RUBY_PLATFORM.include?("linux")
    balancer = build(processes: 2)
    assert_equal [false, false], [balancer.behind?(0, 0), balancer.behind?(1, 3)]
    assert_raises(IndexError) { balancer.behind?(1_000_000, 0) }
    balancer.close
    [balancer.outgoing, balancer.incoming, balancer.notify].each { |io| assert_predicate io, :closed? }
    elastic = build(processes: 1..4)
    assert elastic
    elastic.close
  end

  def test_elsewhere_none_moves
    [{processes: 0}, {processes: 1}, {processes: 2, ractors: 2},
      {processes: 2, rebalance: false}].each { |given| assert_nil build(**given), given }
  end

  private

  def build(**given)
    supervisor = Raffia::Process::Supervisor.new(workers: 1) { nil }
    Balancer.build(Raffia::Server::Options.build(given), supervisor)
  end
end
