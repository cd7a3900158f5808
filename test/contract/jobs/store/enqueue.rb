# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Enqueued jobs.
  module Enqueue
    include Case

    def test_an_enqueued_job_is_in_its_queue_and_keeps_its_id
      one = draft(1, queue: "mail")
      assert_equal([one.jid], store.enqueue([one]))
      assert_places(queue: 1)
      entry = store.entries(:queue, queue: "mail").first
      assert_equal([:queue, "mail", one.jid, one.payload],
        [entry.set, entry.queue, entry.jid, entry.payload])
    end

    def test_the_bytes_of_a_job_stay_as_they_are
      odd = [[], {}, [[], {}], {"a" => {}}, 1.0, 1e-7, 12345678901234567890,
        "\u0000 \u2028 \u{1F40E} \\ \" ' %s $1 ; --", nil, true, "", " "]
      drafts = odd.map { |value| draft(value) }
      store.enqueue(drafts)
      assert_equal(drafts.map(&:payload), store.entries(:queue).map(&:payload))
      assert_equal(drafts.map(&:payload), claim(20).map(&:payload))
    end

    def test_bytes_without_json_are_kept
      broken = Jobs::Draft.new(jid: "0" * 24, queue: "default", payload: "{\"raffia\": no JSON",
        at: nil, extras: nil)
      store.enqueue([broken])
      one = claim_one
      assert_equal(broken.payload, one.payload)
      assert(store.bury(one, one.payload))
      assert_equal([broken.payload], store.entries(:dead).map(&:payload))
    end

    def test_a_long_job_is_stored_completely
      text = Random.new(1).bytes(400_000).unpack1("H*")
      enqueue(text)
      assert_equal(text, claim_one.item["args"].first)
    end

    def test_nothing_is_enqueued_by_an_empty_list
      assert_equal([], store.enqueue([]))
      assert_places
    end

    def test_many_jobs_of_one_call_stay_in_order
      ids = enqueue(*0...1500)
      assert_equal(1500, ids.uniq.size)
      assert_equal((0...1500).to_a, args(claim(2000)))
    end

    def test_one_call_may_fill_several_queues
      store.enqueue([draft(1, queue: "a"), draft(2, queue: "b"), draft(3, queue: "a")])
      assert_equal([[1, 3], [2]], [args_in(:queue, queue: "a"), args_in(:queue, queue: "b")])
    end

    def test_a_job_for_later_is_scheduled
      at = now + 1000
      enqueue(1, at: at)
      assert_places(scheduled: 1)
      entry = store.entries(:scheduled).first
      assert_in_delta(at, entry.at, 0.01)
      refute(entry.item.key?("at"), "the time is not part of the payload")
      assert_empty(claim)
    end

    def test_a_job_whose_time_has_come_already_goes_to_its_queue
      store.enqueue([Jobs::Draft.new(**draft(1).to_h, at: now - 1)])
      assert_equal([1], args(claim))
    end

    def test_jobs_of_an_unknown_batch_are_refused_with_their_whole_call
      error = assert_raises(Jobs::Error) do
        store.enqueue([draft(1), draft(2, own: {batch: "nowhere"})])
      end
      assert_equal(Jobs::Store::Batches.missing("nowhere"), error.message)
      assert_places
    end

    def test_a_precondition_holds_once
      precondition = Jobs::Precondition.new(key: "cron:x", expect: nil, value: "10:00")
      one = draft(1)
      assert_equal([one.jid], store.enqueue([one], precondition: precondition))
      assert_nil(store.enqueue([draft(2)], precondition: precondition))
      assert_equal("10:00", store.read("cron:x"))
      refute_nil(store.enqueue([draft(3)],
        precondition: precondition.with(expect: "10:00", value: "10:01")))
      assert_equal([1, 3], args_in(:queue))
      assert_equal("10:01", store.read("cron:x"))
    end

    def test_a_precondition_changes_nothing_when_its_jobs_are_refused
      precondition = Jobs::Precondition.new(key: "cron:x", expect: nil, value: "10:00")
      assert_raises(Jobs::Error) do
        store.enqueue([draft(2, own: {batch: "nowhere"})], precondition: precondition)
      end
      assert_nil(store.read("cron:x"))
    end

    def test_one_of_many_calls_with_the_same_precondition_succeeds
      precondition = Jobs::Precondition.new(key: "cron:x", expect: nil, value: "10:00")
      done = Array.new(8) { |n|
        Thread.new { store.enqueue([draft(n)], precondition: precondition) }
      }
        .map(&:value)
      assert_equal(1, done.compact.size)
      assert_places(queue: 1)
    end

    def test_threads_may_enqueue_at_once
      Array.new(8) { |t| Thread.new { 25.times { |n| enqueue(t * 25 + n) } } }.each(&:join)
      assert_equal((0...200).to_a, args_in(:queue, limit: 1000).sort)
    end

    def test_fibers_may_enqueue_at_once
      in_fibers { |scope| Array.new(50) { |n| scope.spawn { enqueue(n, n + 50) } }.each(&:join) }
      assert_equal((0...100).to_a, args_in(:queue, limit: 1000).sort)
    end
  end
end
