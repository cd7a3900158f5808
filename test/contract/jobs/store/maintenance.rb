# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Removal of old data, and the check of the rest.
  module Maintenance
    include Case

    def test_the_oldest_dead_jobs_are_pruned
      enqueue(*0...5)
      claim.each { |one| store.bury(one, one.payload) }
      newest = args_in(:dead).first(2)
      store.prune(dead_max: 2)
      assert_equal(newest, args_in(:dead))
      store.prune
      assert_places(dead: 2)
    end

    def test_jobs_that_died_long_ago_are_pruned
      enqueue(1)
      one = claim_one
      store.bury(one, one.payload)
      store.prune(dead_for: 900)
      assert_places(dead: 1)
      wait_until { store.prune(dead_for: 0.05) || store.counts[:dead].zero? }
    end

    def test_batches_that_ended_long_ago_are_pruned
      %w[done open].each { |id| store.open_batch(id) }
      store.seal_batch("done")
      store.prune(batches_for: 900)
      refute_nil(store.batch("done"))
      wait_until { store.prune(batches_for: 0.05) || store.batch("done").nil? }
      refute_nil(store.batch("open"))
      assert_equal(%w[open], store.batches.map { |one| one["id"] })
    end

    def test_nothing_else_is_pruned
      enqueue(1, 2)
      claim(1)
      enqueue(3, at: now + 900)
      store.write("a", "1")
      store.prune(dead_for: 0, dead_max: 0, batches_for: 0)
      assert_places(queue: 1, running: 1, scheduled: 1)
      assert_equal("1", store.read("a"))
    end

    def test_a_check_finds_nothing_in_a_healthy_store
      assert_equal([], store.check)
      enqueue(*0...5, own: {limit: {"key" => "k", "max" => 2}})
      one, = claim
      store.bury(one, one.payload)
      enqueue(7, at: now + 900)
      assert_equal([], store.check)
    end

    def test_a_closed_store_may_be_closed_again
      one = opened
      one.counts
      2.times { one.close }
      assert_places
    end
  end
end
