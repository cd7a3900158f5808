# frozen_string_literal: true

require "test_helper"
require "raffia/server"

class ClientRatesTest < Raffia::TestCase
  ClientRates = Raffia::Server::Admission::ClientRates

  def rates(rate, burst, memory = self.memory) = ClientRates.new(memory, rate, burst)

  def memory
    ClientRates.memory(Raffia::Server::Options.build({client_rate: 1}))
  end

  def test_a_burst_and_then_the_rate
    rates = rates(10, 5)
    now = 1_000_000_000
    assert_equal [nil] * 5, Array.new(5) { rates.exceeded("a", now) }
    assert_in_delta 0.1, rates.exceeded("a", now)
    assert_in_delta 0.1, rates.exceeded("a", now), 0.001, "a refused request costs nothing"
    assert_in_delta 0.05, rates.exceeded("a", now + 50_000)
    assert_nil rates.exceeded("a", now + 100_000)
    assert_operator rates.exceeded("a", now + 100_000), :>, 0
    assert_nil rates.exceeded("b", now), "others are not limited by it"
  end

  def test_a_pause_gives_back_the_burst_and_no_more
    rates = rates(10, 5)
    5.times { rates.exceeded("a", 0) }
    later = 3_600_000_000
    assert_equal [nil] * 5 + [true],
      Array.new(6) { rates.exceeded("a", later)&.positive? }
  end

  def test_processes_share_the_memory
    need_fork
    memory = self.memory
    pid = fork do
      shared = rates(10, 5, memory)
      5.times { shared.exceeded("a", 1_000_000) }
      exit!(0)
    end
    ::Process.wait(pid)
    assert_operator rates(10, 5, memory).exceeded("a", 1_000_000), :>, 0
  end

  # Some thousand clients that are over their rate: another one is not taken for one of them.
  def test_clients_of_one_number_do_not_limit_each_other
    rates = rates(1, 1)
    3_000.times { |number| 2.times { rates.exceeded("noisy #{number}", 1_000_000) } }
    refused = Array.new(1_000) { |number| rates.exceeded("quiet #{number}", 1_000_000) }.compact
    assert_operator refused.size, :<, 50
  end

  def test_threads_do_not_lose_counts
    rates = rates(1, 1_000)
    passed = Array.new(4) { Thread.new { 500.times.count { rates.exceeded("a", 1).nil? } } }
      .sum(&:value)
    assert_includes 990..1_000, passed
  end
end
