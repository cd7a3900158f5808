# frozen_string_literal: true

require_relative "batch_case"

module JobsStoreContract
  # Jobs that belong together, and their callbacks.
  module Batches
    include BatchCase

    def test_a_batch_begins_empty
      open_batch(about: {"description" => "mails", "created_at" => 5})
      seen = store.batch("b")
      assert_equal({"id" => "b", "total" => 0, "pending" => 0, "dead" => 0, "sealed" => false,
        "completed_at" => nil, "parent" => nil,
        "about" => {"description" => "mails", "created_at" => 5}}, seen)
      assert_nil(store.batch("other"))
    end

    def test_an_empty_batch_is_complete_when_it_is_sealed
      open_batch
      assert_equal([], called)
      store.seal_batch("b")
      assert_equal(%w[complete success].map { |event| "b #{event}" }, called)
      seen = store.batch("b")
      assert_equal([true, true], [seen["sealed"], (now - seen["completed_at"]).abs < 60])
    end

    def test_a_batch_is_complete_with_its_last_job_and_once
      open_batch
      store.enqueue([member(1), member(2), draft("no member")])
      store.seal_batch("b")
      assert_equal([2, 2, 0], counts_of)
      one, two, = claim
      store.ack([one])
      assert_equal([2, 1, 0], counts_of)
      assert_equal([], called)
      store.ack([two])
      assert_equal([2, 0, 0], counts_of)
      assert_equal(["b complete", "b success"], called)
      store.seal_batch("b")
      store.ack([one, two])
      assert_equal([], called)
    end

    def test_a_batch_is_not_complete_before_it_is_sealed
      open_batch
      store.enqueue([member(1)])
      store.ack([claim_one])
      assert_equal([[1, 0, 0], nil, []], [counts_of, store.batch("b")["completed_at"], called])
      store.seal_batch("b")
      assert_equal(["b complete", "b success"], called)
    end

    def test_jobs_acked_together_complete_a_batch_once
      open_batch
      store.enqueue(Array.new(10) { |n| member(n) })
      store.seal_batch("b")
      store.ack(claim(10))
      assert_equal(["b complete", "b success"], called)
    end

    def test_threads_complete_a_batch_once
      open_batch
      store.enqueue(Array.new(40) { |n| member(n) })
      store.seal_batch("b")
      claim(40).each_slice(5).map { |claims| Thread.new { claims.each { |one| store.ack([one]) } } }
        .each(&:join)
      assert_equal([40, 0, 0], counts_of)
      assert_equal(["b complete", "b success"], called)
    end

    def test_a_job_that_is_tried_again_is_pending
      open_batch
      store.enqueue([member(1)])
      store.seal_batch("b")
      one = claim_one
      store.retry(one, one.payload, now - 1)
      store.promote
      store.release(claim)
      lose
      assert_equal([[1, 1, 0], []], [counts_of, called])
      store.ack([claim_one(suspects: true)])
      assert_equal(["b complete", "b success"], called)
    end

    def test_a_running_job_may_add_to_its_batch
      open_batch
      store.enqueue([member(1)])
      store.seal_batch("b")
      one = claim_one
      store.enqueue([member(2)])
      store.ack([one])
      assert_equal([[2, 1, 0], []], [counts_of, called])
      store.ack([claim_one])
      assert_equal(["b complete", "b success"], called)
    end

    def test_jobs_of_a_batch_may_be_scheduled
      open_batch
      store.enqueue([member(1, at: now + 900)])
      store.seal_batch("b")
      assert_equal([[1, 1, 0], []], [counts_of, called])
      store.requeue(store.entries(:scheduled))
      store.ack([claim_one])
      assert_equal(["b complete", "b success"], called)
    end

    def test_a_refused_unique_job_does_not_count_in_its_batch
      open_batch
      unique = {"key" => "k", "until" => "done", "conflict" => "skip"}
      store.enqueue([member(1, own: {unique: unique}), member(2, own: {unique: unique})])
      assert_equal([1, 1, 0], counts_of)
    end

    def test_a_replaced_job_counts_as_done
      open_batch
      unique = {"key" => "k", "until" => "done", "conflict" => "replace"}
      2.times { |n| store.enqueue([member(n, own: {unique: unique})]) }
      store.seal_batch("b")
      assert_equal([2, 1, 0], counts_of)
      store.ack([claim_one])
      assert_equal(["b complete", "b success"], called)
    end

    def test_a_callback_wakes_a_wait
      open_batch
      waiting = Thread.new { wait_for_job(%w[callbacks]) }
      store.seal_batch("b")
      assert_match(/\Ab (complete|success)\z/, args(waiting.value).first)
    end

    def test_a_batch_without_callbacks_counts_its_jobs
      store.open_batch("b")
      store.enqueue([member(1)])
      store.seal_batch("b")
      store.ack([claim_one])
      assert_equal([1, 0, 0], counts_of)
      refute_nil(store.batch("b")["completed_at"])
    end

    def test_an_unknown_batch_may_be_sealed
      store.seal_batch("nowhere")
      assert_nil(store.batch("nowhere"))
    end

    def test_batches_are_listed_newest_first
      3.times { |n| open_batch("b#{n}", about: {"created_at" => 100 + n}) }
      assert_equal(%w[b2 b1 b0], store.batches.map { |one| one["id"] })
      assert_equal(%w[b1], store.batches(offset: 1, limit: 1).map { |one| one["id"] })
      assert_equal([], store.batches(offset: 5))
      assert_equal(store.batch("b2"), store.batches.first)
    end
  end
end
