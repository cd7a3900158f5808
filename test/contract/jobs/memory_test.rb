# frozen_string_literal: true

require_relative "store_contract"

# The contract of all stores, and what only a store in memory has to answer for: its jobs are of
# this process.
class JobsMemoryTest < Raffia::TestCase
  include JobsStoreContract

  include JobsStoreContract::Children

  def open_store = Raffia::Jobs::Store.open("memory:")

  def test_each_store_is_another_one
    enqueue(1)
    assert_equal({queue: 0}, opened.counts.slice(:queue))
  end

  # What it enqueued would be nobody's, and what it inherited would be done twice.
  def test_a_child_cannot_use_the_store_of_its_parent
    need_fork
    enqueue(1)
    one = claim_one
    text = in_child do
      refused = [-> { enqueue(2) }, -> { store.claim(lease, %w[default], 1) },
        -> { store.ack([one]) }, -> { store.counts }]
      errors = refused.map { |call| assert_raises(Raffia::Jobs::StoreUnavailable, &call).message }
        .uniq
      store.close
      [*errors, opened.enqueue([draft(1)]).size].join("; ")
    end
    assert_match(
      /\Athe jobs of this store are in the memory of process #{::Process.pid}, and this is process \d+: give it a store of its own .*; 1\z/, text
    )
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
