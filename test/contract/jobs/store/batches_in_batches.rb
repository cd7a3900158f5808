# frozen_string_literal: true

require_relative "batch_case"

module JobsStoreContract
  # Batches that count as jobs of another one.
  module BatchesInBatches
    include BatchCase

    def family
      open_batch("parent")
      open_batch("child", parent: "parent")
      store.enqueue([member(1, "child")])
      store.seal_batch("child")
      store.seal_batch("parent")
    end

    def test_a_parent_waits_for_its_child
      family
      assert_equal("parent", store.batch("child")["parent"])
      assert_equal([[1, 1, 0], []], [counts_of("parent"), called])
      store.ack([claim_one])
      assert_equal([1, 0, 0], counts_of("parent"))
      assert_equal(["child complete", "child success", "parent complete", "parent success"], called)
    end

    def test_a_parent_has_no_success_when_its_child_has_none
      family
      one = claim_one
      store.bury(one, one.payload)
      assert_equal([1, 0, 1], counts_of("parent"))
      assert_equal(["child complete", "child death", "parent complete", "parent death"], called)
    end

    def test_a_child_that_succeeds_later_updates_its_parent
      family
      one = claim_one
      store.bury(one, one.payload)
      called
      store.requeue(store.entries(:dead))
      store.ack([claim_one])
      assert_equal([1, 0, 0], counts_of("parent"))
      assert_equal(["child success", "parent success"], called)
    end

    def test_a_parent_waits_for_callbacks_of_its_child_that_belong_to_it
      open_batch("parent", events: %w[success])
      store.open_batch("child",
        callbacks: {"success" => draft("of the child", own: {batch: "parent"})}, parent: "parent")
      store.seal_batch("parent")
      store.seal_batch("child")
      assert_equal([[2, 1, 0], []], [counts_of("parent"), called])
      store.ack([claim_one])
      assert_equal([[2, 0, 0], ["parent success"]], [counts_of("parent"), called])
    end

    def test_generations_follow_one_another
      open_batch("a", events: %w[complete])
      open_batch("b", events: %w[complete], parent: "a")
      open_batch("c", events: %w[complete], parent: "b")
      %w[a b].each { |id| store.seal_batch(id) }
      assert_equal([], called)
      store.seal_batch("c")
      assert_equal(["a complete", "b complete", "c complete"], called)
    end

    def test_an_unknown_parent_is_refused
      error = assert_raises(Jobs::Error) { store.open_batch("child", parent: "nowhere") }
      assert_equal(Jobs::Store::Batches.missing("nowhere"), error.message)
      assert_nil(store.batch("child"))
    end
  end
end
