# frozen_string_literal: true

require "test_helper"
require "raffia/server"

class AdmissionFairQueueTest < Raffia::TestCase
  def setup
    @queue = Raffia::Server::Admission::FairQueue.new
  end

  def push(*requests, connection, since: 1.0)
    requests.each { |request| @queue.push(request, connection, since) }
  end

  def test_connections_take_turns
    push(:a1, :a2, :a3, :a)
    push(:b1, :b)
    push(:c1, :c2, :c)
    assert_equal([6, 3], [@queue.size, @queue.connections])
    assert_equal(%i[a1 b1 c1 a2 c2 a3], Array.new(6) { @queue.shift })
    assert_equal([nil, true, 0], [@queue.shift, @queue.empty?, @queue.connections])
  end

  def test_one_that_gives_up_is_removed
    push(:a1, :a2, :a)
    push(:b1, :b)
    @queue.delete(:a1, :a)
    @queue.delete(:b1, :b)
    @queue.delete(:b1, :b)
    @queue.delete(:b1, :c)
    assert_equal([1, 1, :a2], [@queue.size, @queue.connections, @queue.shift])
    @queue.delete(:a2, :a)
    assert_equal(0, @queue.size)
  end

  def test_since_when_they_wait
    assert_equal([nil, nil], [@queue.next_since, @queue.oldest])
    push(:a1, :a, since: 1.0)
    push(:a2, :a, since: 2.0)
    push(:b1, :b, since: 3.0)
    assert_equal([1.0, 1.0], [@queue.next_since, @queue.oldest])
    @queue.shift
    assert_equal([3.0, 2.0], [@queue.next_since, @queue.oldest])
  end
end
