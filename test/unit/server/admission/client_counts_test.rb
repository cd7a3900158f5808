# frozen_string_literal: true

require "test_helper"
require "raffia/server"

class ClientCountsTest < Raffia::TestCase
  ClientCounts = Raffia::Server::Admission::ClientCounts

  def test_workers_count_together
    memory = ClientCounts.memory(2)
    first, second = Array.new(2) { |worker| ClientCounts.new(memory, worker) }
    assert_equal [1, 2, 3], [first.add("a"), second.add("a"), second.add("a")]
    assert_equal 1, second.add("b")
    assert_equal [2, 0], [first.remove("a"), second.remove("b")]
  end

  def test_what_a_killed_worker_has_left_is_taken_back
    need_fork
    memory = ClientCounts.memory(2)
    first, second = Array.new(2) { |worker| ClientCounts.new(memory, worker) }
    first.add("a")
    pid = fork do
      100.times { |number| second.add("client #{number % 10}") }
      second.add("a")
      ::Process.kill(:KILL, ::Process.pid)
    end
    ::Process.wait(pid)
    assert_equal 3, first.add("a")
    2.times { second.clear }
    assert_equal 3, first.add("a")
    assert_equal 1, first.add("client 1")
  end

  def test_a_worker_beyond_the_memory_counts_too
    memory = ClientCounts.memory(1)
    first, second = Array.new(2) { |worker| ClientCounts.new(memory, worker) }
    second.add("a")
    second.clear
    assert_equal 2, first.add("a")
  end

  # A client is not taken for another one, but where all three numbers are those of others.
  def test_many_clients
    counts = ClientCounts.new(ClientCounts.memory(0), 0)
    3_000.times { |number| 5.times { counts.add("client #{number}") } }
    wrong = Array.new(1_000) { |number| counts.add("other #{number}") }.count { |count| count > 1 }
    assert_operator wrong, :<, 10
  end
end
