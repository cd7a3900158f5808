# frozen_string_literal: true

require_relative "batch_case"

module JobsStoreContract
  # Jobs of a batch that fail for good.
  module BatchesWithDeadJobs
    include BatchCase

    def test_a_dead_job_calls_death_at_once_and_prevents_success
      open_batch
      store.enqueue([member(1), member(2), member(3)])
      store.seal_batch("b")
      one, two, three = claim
      store.bury(one, one.payload)
      assert_equal([[3, 2, 1], ["b death"]], [counts_of, called])
      store.bury(two, two.payload)
      assert_equal([], called)
      store.ack([three])
      assert_equal([[3, 0, 2], ["b complete"]], [counts_of, called])
    end

    def test_every_end_without_success_counts_as_dead
      {
        discard: -> { store.discard(claim_one) },
        delete: -> { store.delete(store.entries(:queue)) },
        kill: -> { store.kill(store.entries(:queue)) },
        clear: -> { store.clear(:queue) }, crashes: -> { 3.times { lose } }
      }.each do |name, give_up|
        open_batch(name.to_s)
        store.enqueue([member(1, name.to_s)])
        store.seal_batch(name.to_s)
        give_up.call
        assert_equal([1, 0, 1], counts_of(name.to_s), name)
        assert_equal(["#{name} complete", "#{name} death"], called, name)
      end
    end

    def test_a_job_that_expired_counts_as_dead
      open_batch
      store.enqueue([member(1, own: {expires_at: now - 1})])
      store.seal_batch("b")
      assert_empty(claim)
      assert_equal([[1, 0, 1], ["b complete", "b death"]], [counts_of, called])
    end

    def test_a_dead_job_that_succeeds_later_makes_a_success
      open_batch
      store.enqueue([member(1)])
      store.seal_batch("b")
      one = claim_one
      store.bury(one, one.payload)
      assert_equal(["b complete", "b death"], called)
      store.requeue(store.entries(:dead))
      assert_equal([1, 1, 0], counts_of)
      store.ack([claim_one])
      assert_equal([[1, 0, 0], ["b success"]], [counts_of, called])
    end

    def test_a_deleted_dead_job_stays_dead
      open_batch
      store.enqueue([member(1)])
      store.seal_batch("b")
      one = claim_one
      store.bury(one, one.payload)
      called
      store.delete(store.entries(:dead))
      assert_equal([[1, 0, 1], []], [counts_of, called])
    end
  end
end
