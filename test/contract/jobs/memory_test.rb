# frozen_string_literal: true

require_relative "store_contract"

# The contract of all stores. Jobs in memory belong to one process.
class JobsMemoryTest < Raffia::TestCase
  include JobsStoreContract
  include JobsStoreContract::Flows
  include JobsStoreContract::FlowWaits
  include JobsStoreContract::FlowEnds
  include JobsStoreContract::Workflows
  include JobsStoreContract::WorkflowChanges
  include JobsStoreContract::WorkflowEnds

  include JobsStoreContract::Children

  def open_store = Raffia::Jobs::Store.open("memory:")

  def test_each_store_in_memory_has_jobs_of_its_own
    enqueue(1)
    assert_equal({queue: 0}, opened.counts.slice(:queue))
  end

  # A worker's acks run in a fiber, whose stack is small.
  def test_thousands_of_equal_unique_elements
    each = each_step("b", "a")
    unique = {"unique" => {"key" => "k", "until" => "done", "conflict" => "skip"}}
    open_workflow(job_step("a"), {**each, "item" => {**each["item"], "raffia" => unique}})
    Fiber.new { finish_step((1..5000).to_a) }.resume
    assert_equal(1, store.counts[:queue])
    finish_step
    assert_equal(["done", []], [state, store.check])
  end

  # No worker would run the child's jobs, and two processes would run inherited ones.
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
    refused = "the jobs of this store are in the memory of process #{::Process.pid}, and this is"
    assert_match(/\A#{refused} process \d+: give it a store of its own .*; 1\z/, text)
    assert_equal([true], store.ack([one]))
  end

  def test_a_given_entry_can_be_claimed
    enqueue(1, at: now + 900)
    enqueue(2, 3)
    entry = store.entries(:queue).last
    assert_equal([3], args([store.claim_entry(lease, entry)]))
    assert_nil(store.claim_entry(lease, entry), "it runs already")
    assert_equal([1], args([store.claim_entry(lease, store.entries(:scheduled).first)]))
    assert_equal([2], args(claim))
  end

  def test_the_store_in_memory_takes_no_options
    assert_raises(ArgumentError) { Raffia::Jobs::Store.open("memory:", size: 5) }
  end
end
