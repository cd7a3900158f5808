# frozen_string_literal: true

require_relative "jobs_store_contract"

# The contract of all stores, and what only a store in memory has to answer for: its jobs are of this process.
class JobsMemoryTest < Raffia::TestCase
  include JobsStoreContract

  def open_store = Raffia::Jobs::Store.open("memory:")

  def test_each_store_is_another_one
    enqueue(1)
    assert_equal({queue: 0}, opened.counts.slice(:queue))
  end

  # Or both would do them.
  def test_a_child_begins_without_the_jobs_of_its_parent
    need_fork
    enqueue(1, 2)
    one, = claim(1)
    text = in_child do
      enqueue("childs")
      [store.counts.slice(:queue, :running), store.ack([one]), store.beat(lease).inspect, args_in(:queue)].inspect
    end
    assert_equal([{queue: 1, running: 0}, [false], "nil", ["childs"]].inspect, text)
    assert_places(queue: 1, running: 1)
    assert_equal([true], store.ack([one]))
  end

  def test_a_very_job_can_be_claimed
    enqueue(1, at: now + 900)
    enqueue(2, 3)
    entry = store.entries(:queue).last
    assert_equal([3], args([store.claim_entry(lease, entry)]))
    assert_nil(store.claim_entry(lease, entry), "it runs already")
    assert_equal([1], args([store.claim_entry(lease, store.entries(:scheduled).first)]))
    assert_equal([2], args(claim))
  end

  def test_it_takes_no_options
    assert_raises(ArgumentError) { Raffia::Jobs::Store.open("memory:", size: 5) }
  end
end
