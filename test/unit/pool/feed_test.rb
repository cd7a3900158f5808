# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

class IndexedFeedTest < Raffia::TestCase
  def feed(items, chunk: nil, workers: 2)
    Raffia::Pool::IndexedFeed.new(Raffia::Pool::Input.of(items),
      Raffia::Pool::ChunkSize.new(chunk, target: 0.01), workers)
  end

  def drain(feed)
    chunks = []
    while (chunk = feed.take)
      chunks << chunk
    end
    chunks
  end

  def test_all_items_come_once_and_in_order
    chunks = drain(feed((0...100).to_a, chunk: 7))
    assert_equal((0...100).to_a, chunks.flat_map { |chunk| chunk.items.to_a })
    assert_equal(chunks.map { |chunk| chunk.items.first }, chunks.map(&:first))
  end

  def test_chunks_shrink_towards_the_end
    sizes = drain(feed((0...100).to_a, chunk: 50, workers: 2)).map(&:size)
    assert_equal([25, 19, 14], sizes.first(3))
    assert_equal(1, sizes.last)
  end

  def test_ranges_are_cut_without_being_expanded
    chunk = feed(10.., chunk: 5).take
    assert_equal([10...15, 0, 5, 12], [chunk.items, chunk.first, chunk.size, chunk.at(2)])
  end

  def test_a_closed_feed_gives_nothing
    feed([1]).tap(&:close).then { |closed| assert_nil(closed.take) }
  end
end

class QueueFeedTest < Raffia::TestCase
  def feed(limit: 10, chunk: nil, workers: 1, running: true)
    Raffia::Pool::QueueFeed.new(Raffia::Pool::ChunkSize.new(chunk, target: 0.01), workers,
      limit: limit, running: running)
  end

  def test_workers_take_what_is_there_and_do_not_wait_for_a_full_chunk
    queue = feed(chunk: 5)
    3.times { |n| queue.push(n) }
    chunk = queue.take
    assert_equal([[0, 1, 2], 0, 3], [chunk.items, chunk.first, chunk.size])
    queue.push(3)
    assert_equal(3, queue.take.first)
  end

  def test_they_take_a_fair_share
    queue = feed(chunk: 100, workers: 4)
    8.times { |n| queue.push(n) }
    assert_equal(2, queue.take.size)
  end

  def test_push_waits_for_room_and_done_makes_it
    queue = feed(limit: 1)
    queue.push(:a)
    pushing = Thread.new { queue.push(:b) }
    wait_until { pushing.status == "sleep" }
    queue.take
    assert_equal("sleep", pushing.status) # what is being worked on counts
    queue.done(1)
    assert_equal(:added, pushing.value)
  end

  def test_what_runs_need_not_count
    queue = feed(limit: 1, running: false)
    queue.push(:a)
    pushing = Thread.new { queue.push(:b) }
    wait_until { pushing.status == "sleep" }
    queue.take
    assert_equal(:added, pushing.value)
  end

  def test_finish_hands_out_the_rest_and_close_does_not
    queue = feed
    queue.push(1)
    queue.finish
    assert_equal(:closed, queue.push(2))
    assert_equal([1], queue.take.items)
    assert_nil(queue.take)
    other = feed
    other.push(1)
    assert_equal([1], other.close)
    assert_nil(other.take)
  end

  def test_a_waiting_worker_hears_of_the_end
    queue = feed
    taking = Thread.new { queue.take }
    wait_until { queue.idle == 1 }
    queue.finish
    assert_nil(taking.value)
    assert_equal(0, queue.idle)
  end

  def test_what_was_put_back_comes_first
    queue = feed(chunk: 2)
    [1, 2, 3].each { |n| queue.push(n) }
    taken = queue.take
    queue.unshift(taken.items)
    assert_equal([[1, 2], 2], queue.take.then { |chunk| [chunk.items, chunk.first] })
  end

  def test_take_without_waiting
    assert_nil(feed.take(wait: false))
  end

  def test_what_finds_no_room_may_be_refused_or_added_all_the_same
    queue = feed(limit: 1)
    assert_equal([:added, :full, :added],
      [queue.push(1, full: :refuse), queue.push(2, full: :refuse), queue.push(3, full: :add)])
    assert_equal([2, 2], [queue.size, queue.most])
  end

  def test_of_several_so_many_are_added_as_there_is_room_for
    queue = feed(limit: 3)
    assert_equal([2, 1, 0], [queue.push_all([1, 2]), queue.push_all([3, 4]), queue.push_all([4])])
    assert_equal([1, 2, 3], queue.close)
    assert_equal(0, queue.push_all([5]))
  end

  def test_the_clock_is_watched_by_one_thread_that_ends_with_the_queue
    others = idle_threads # of pools that are still there
    queue = Raffia::Pool::QueueFeed.new(Raffia::Pool::ChunkSize.new(1, target: 0.01), 2,
      running: false, idle: 60)
    workers = Array.new(2) { Thread.new { nil while queue.take } }
    wait_until { queue.idle == 2 }
    50.times { |n| queue.push(n) }
    wait_until { queue.size.zero? && queue.idle == 2 }
    watching = idle_threads - others
    queue.finish
    workers.each(&:join)
    watching.each { |thread| assert(thread.join(10)) }
    assert_equal(1, watching.size)
  end

  def idle_threads = Thread.list.select { |thread| thread.name == "raffia idle" && thread.alive? }

  def test_a_worker_that_waited_long_enough_may_go
    queue = Raffia::Pool::QueueFeed.new(Raffia::Pool::ChunkSize.new(1, target: 0.01), 1, idle: 0.01)
    assert_nil(queue.take)
    assert_equal(0, queue.idle)
    queue.push(1)
    assert_equal([1], queue.take.items)
  end
end

class FairQueueTest < Raffia::TestCase
  def from(queue, items) = Fiber.new { items.each { |item| queue << item } }.resume

  def test_one_of_each_caller_in_turn
    queue = Raffia::Pool::Persistent::FairQueue.new
    from(queue, [1, 2, 3, 4])
    from(queue, [:a])
    from(queue, %w[x y])
    assert_equal([7, false], [queue.size, queue.empty?])
    assert_equal([1, :a, "x"], queue.shift(3))
    assert_equal([2, "y", 3, 4], queue.shift(10))
    assert_equal([0, true, []], [queue.size, queue.empty?, queue.shift(1)])
  end

  def test_what_is_put_back_comes_first
    queue = Raffia::Pool::Persistent::FairQueue.new
    from(queue, [1, 2, 3])
    queue.unshift(*queue.shift(2))
    assert_equal([3, [1, 2, 3]], [queue.size, queue.shift(3)])
  end

  def test_whoever_comes_again_waits_for_his_turn
    queue = Raffia::Pool::Persistent::FairQueue.new
    from(queue, [:a, :b])
    2.times { |n| queue << n }
    assert_equal([:a, 0], queue.shift(2))
    from(queue, [:c])
    assert_equal([:b, 1, :c], queue.shift(3))
  end
end
