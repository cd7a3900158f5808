# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Changes by hand.
  module Administration
    include Case

    # One job in each set, which its argument names.
    def one_everywhere
      enqueue("retry", "dead", "running", queue: "start")
      claims = claim(queues: %w[start]).to_h { |one| [one.item["args"].first, one] }
      store.retry(claims["retry"], claims["retry"].payload, now + 900)
      store.bury(claims["dead"], claims["dead"].payload)
      store.enqueue(%w[running blocked].map { |name|
        draft(name, queue: "limited", own: {limit: {"key" => "k", "max" => 1}})
      })
      store.release([claims["running"]]) && store.delete(store.entries(:queue, queue: "start"))
      claim(queues: %w[limited])
      enqueue("queue")
      enqueue("scheduled", at: now + 900)
      assert_places(**Jobs::Store::SETS.to_h { |set| [set, 1] })
    end

    def everything = Jobs::Store::SETS.flat_map { |set| store.entries(set) }

    def test_all_but_the_running_can_be_deleted
      one_everywhere
      assert_equal(5, store.delete(everything))
      assert_places(running: 1)
    end

    def test_a_finished_job_is_not_deleted_again
      enqueue(1, 2)
      entries = store.entries(:queue)
      store.ack([claim(1).first])
      assert_equal(1, store.delete(entries))
      assert_equal(0, store.delete(entries))
      assert_equal(0, store.delete([]))
    end

    def test_one_of_many_jobs_is_deleted
      enqueue(*0...5)
      store.delete([store.entries(:queue)[2]])
      assert_equal([0, 1, 3, 4], args(claim))
    end

    def test_equal_jobs_are_deleted_one_by_one
      one = draft(1)
      store.enqueue([one, one])
      assert_equal(1, store.delete(store.entries(:queue).first(1)))
      assert_places(queue: 1)
    end

    # The job has moved since it was read.
    def test_an_entry_that_has_moved_is_left_alone
      enqueue(1)
      entry = store.entries(:queue).first
      one = claim_one
      payload = Jobs::Payload.dump({**one.item, "retry_count" => 0})
      store.retry(one, payload, now + 900)
      assert_equal([0, 0, 0], [store.delete([entry]), store.kill([entry]), store.requeue([entry])])
      assert_places(retry: 1)
    end

    def test_scheduled_jobs_and_retries_can_be_enqueued_now
      one_everywhere
      assert_equal(4, store.requeue(everything))
      assert_places(queue: 5, running: 1)
    end

    def test_a_requeued_job_goes_to_the_back_of_its_queue
      enqueue(1, queue: "mail", at: now + 900)
      enqueue(2, queue: "mail")
      store.requeue(store.entries(:scheduled))
      claims = claim(queues: %w[mail])
      assert_equal([2, 1], args(claims))
      assert_in_delta(now, Jobs::Payload.time(claims.last.item["enqueued_at"]), 60)
    end

    def test_a_requeued_dead_job_begins_anew
      store.enqueue([draft(1, own: {crashes: 2, timeout: 5})])
      one = claim_one(suspects: true)
      store.bury(one, Jobs::Payload.dump({**one.item, "retry_count" => 25, "error_class" => "X",
        "error_message" => "y", "failed_at" => 1, "retried_at" => 2}))
      store.requeue(store.entries(:dead))
      item = claim_one.item
      assert_empty(item.keys & Jobs::Store::Rewrite::FAILURE)
      assert_equal([{"timeout" => 5}, [1], one.item["jid"]],
        item.values_at("raffia", "args", "jid"))
    end

    def test_a_requeued_job_wakes_a_wait
      enqueue(1, at: now + 900)
      waiting = Thread.new { wait_for_job }
      store.requeue(store.entries(:scheduled))
      assert_equal([1], args(waiting.value))
    end

    def test_jobs_can_be_killed
      one_everywhere
      payloads = %i[queue scheduled retry].flat_map { |set| store.entries(set) }.map(&:payload)
      assert_equal(3, store.kill(everything))
      assert_places(blocked: 1, running: 1, dead: 4)
      assert_empty(payloads - store.entries(:dead).map(&:payload))
    end

    def test_jobs_can_be_moved_to_another_queue
      one_everywhere
      before = %i[scheduled retry dead].to_h { |set| [set, store.entries(set).first.at] }
      assert_equal(4, store.move(everything, "other"))
      assert_places(**Jobs::Store::SETS.to_h { |set| [set, 1] })
      moved = %i[queue scheduled retry dead].flat_map { |set| store.entries(set) }
      assert_equal([["other", "other"]] * 4, moved.map { |one| [one.queue, one.item["queue"]] })
      assert_equal(before, before.to_h { |set, _| [set, store.entries(set).first.at] })
      assert_equal(%w[queue], args(claim(queues: %w[other])))
      assert_equal([], claim(queues: %w[default]))
      assert_equal(2, store.requeue(store.entries(:scheduled) + store.entries(:retry)))
      assert_equal(%w[scheduled retry], args(claim(queues: %w[other])))
      assert_equal([], store.check)
    end

    def test_a_moved_job_wakes_a_worker_of_its_queue
      enqueue(1)
      waiting = Thread.new { wait_for_job(%w[other]) }
      store.move(store.entries(:queue), "other")
      assert_equal([1], args(waiting.value))
    end

    def test_moved_jobs_go_to_the_back_and_take_turns
      store.enqueue([draft("a1", own: {fair: {"key" => "a"}}),
        draft("a2", own: {fair: {"key" => "a"}})])
      store.enqueue([draft("b1", queue: "from", own: {fair: {"key" => "b"}})])
      enqueue("last", queue: "plain")
      enqueue("first", queue: "to")
      assert_equal(1, store.move(store.entries(:queue, queue: "from"), "default"))
      assert_equal(1, store.move(store.entries(:queue, queue: "plain"), "to"))
      assert_equal(%w[a1 b1 a2], args(claim))
      assert_equal(%w[first last], args(claim(queues: %w[to])))
    end

    def test_a_moved_unique_job_stays_unique
      unique = {unique: {"key" => "u", "until" => "done"}}
      store.enqueue([draft(1, own: unique), draft(2, at: now + 900,
        own: {unique: {"key" => "v", "until" => "done"}})])
      assert_equal(2, store.move(everything, "other"))
      assert_equal([nil], store.enqueue([draft(1, own: unique)]))
      claims = claim(queues: %w[other])
      store.ack(claims)
      refute_equal([nil], store.enqueue([draft(1, own: unique)]))
    end

    def test_an_entry_that_has_moved_is_not_moved_again
      enqueue(1)
      entries = store.entries(:queue)
      assert_equal(1, store.move(entries, "other"))
      store.ack(claim(queues: %w[other]))
      assert_equal(0, store.move(entries, "third"))
      assert_equal(0, store.move([], "third"))
    end

    # A job that waits may be in several kinds of places: with and without a priority or a turn.
    def test_payloads_are_replaced_where_they_are
      one_everywhere
      enqueue("high", own: {"priority" => 5})
      enqueue("fair", own: {"fair" => {"key" => "k", "weight" => 1}})
      before = everything
      store.replace(before.to_h { |entry| [entry, changed_payload(entry)] })
      after = everything
      assert_equal(before.map { |entry| [entry.set, entry.queue, entry.jid] },
        after.map { |entry| [entry.set, entry.queue, entry.jid] })
      running, changed = after.partition { |entry| entry.set == :running }
      assert_equal([["\\x00 \u00e9"]], changed.map { |entry| entry.item["args"] }.uniq)
      assert_equal(%w[running], args(running))
      store.requeue(store.entries(:scheduled))
      assert_equal(4, claim.size)
      assert_empty(store.check)
    end

    def test_a_replaced_payload_keeps_the_place_in_its_queue
      enqueue(1, 2, 3)
      entries = store.entries(:queue)
      assert_equal(1, store.replace({entries[1] => changed_payload(entries[1])}))
      assert_equal([1, "\\x00 \u00e9", 3], args(claim))
    end

    def test_only_the_payload_that_was_read_is_replaced
      enqueue(1)
      entry = store.entries(:queue).first
      assert_equal(1, store.replace({entry => changed_payload(entry)}))
      assert_equal(0, store.replace({entry => entry.payload}))
      moved = store.entries(:queue).first
      store.kill([moved])
      assert_equal(0, store.replace({moved => entry.payload}))
      assert_equal(0, store.replace({}))
      assert_equal(["\\x00 \u00e9"], args_in(:dead))
    end

    def test_a_unique_job_is_found_after_its_payload_was_replaced
      unique = {"unique" => {"key" => "u", "until" => "done", "conflict" => "replace"}}
      enqueue(1, own: unique)
      entry = store.entries(:queue).first
      store.replace({entry => changed_payload(entry)})
      enqueue(2, own: unique)
      assert_equal([2], args_in(:queue))
    end

    def changed_payload(entry) = Jobs::Payload.dump({**entry.item, "args" => ["\\x00 \u00e9"]})

    def test_a_set_can_be_cleared
      one_everywhere
      (Jobs::Store::SETS - %i[running]).each do |set|
        assert_equal([set, 1, 0], [set, store.clear(set), store.counts[set]])
      end
      assert_places(running: 1)
      assert_equal(0, store.clear(:dead))
    end

    def test_a_queue_can_be_cleared
      enqueue(1, 2, queue: "a")
      enqueue(3, queue: "b")
      assert_equal(2, store.clear(:queue, queue: "a"))
      assert_equal(0, store.clear(:queue, queue: "never_seen"))
      assert_equal([3], args_in(:queue))
      assert_equal(1, store.clear(:queue))
      assert_places
    end

    def test_a_queue_that_was_cleared_is_forgotten
      %w[a b c].each { |name| enqueue(1, queue: name) }
      store.clear(:queue, queue: "a")
      assert_equal(%w[b c], store.queues.map { |one| one["name"] })
      store.clear(:queue)
      assert_equal([], store.queues)
      enqueue(1, queue: "a")
      assert_equal(%w[a], store.queues.map { |one| one["name"] })
    end

    def test_more_than_a_page_can_be_cleared
      enqueue(*0...1200, at: now + 900)
      assert_equal(1200, store.clear(:scheduled))
      assert_places
    end

    def test_pauses_may_be_repeated
      2.times { store.pause("default") }
      enqueue(1)
      assert_equal([true], store.queues.map { |one| one["paused"] })
      2.times { store.resume("default") }
      assert_equal([false], store.queues.map { |one| one["paused"] })
      assert_equal([1], args(claim))
    end
  end
end
