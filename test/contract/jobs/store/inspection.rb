# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Queues and jobs as people see them.
  module Inspection
    include Case

    def fill
      store.enqueue([draft(1), draft(2), draft(3, queue: "mail"), draft(4, at: now + 900),
        draft(5, at: now + 800)])
      store.enqueue(Array.new(3) { |n|
        draft(10 + n, queue: "work", own: {limit: {"key" => "k", "max" => 2}})
      })
      one, two = claim(2, queues: %w[work])
      claim(1, queues: %w[work])
      store.retry(one, one.payload, now + 100)
      enqueue(20, 21, queue: "die")
      claim(2, queues: %w[die]).each { |dead| store.bury(dead, dead.payload) }
      two
    end

    def test_an_empty_store_counts_nothing
      assert_equal(Jobs::Store::SETS.to_h { |set| [set, 0] }.merge(processed: 0, failed: 0),
        store.counts)
      assert_equal([], store.queues)
      assert_nil(store.find("nobody"))
      Jobs::Store::SETS.each { |set| assert_equal([], store.entries(set)) }
    end

    def test_each_job_is_counted_in_its_set
      fill
      assert_places(queue: 4, scheduled: 2, retry: 1, running: 1, dead: 2)
    end

    def test_queues_have_sizes_and_latencies
      old = draft(1, queue: "mail")
      item = {**Jobs::Payload.load(old.payload), "enqueued_at" => Jobs::Payload.now - 100_000}
      store.enqueue([Jobs::Draft.new(**old.to_h, payload: Jobs::Payload.dump(item)),
        draft(2, queue: "mail"), draft(3, queue: "a")])
      store.pause("mail")
      a, mail = store.queues
      assert_equal([["a", 1, false], ["mail", 2, true]],
        [a, mail].map { |one| one.values_at("name", "size", "paused") })
      assert_in_delta(100, mail["latency"], 60)
      assert_in_delta(0, a["latency"], 60)
    end

    def test_an_emptied_queue_has_no_latency
      enqueue(1)
      store.ack(claim)
      assert_equal([[0, 0]],
        [*store.queues, {"size" => 0, "latency" => 0}].map { |one|
          one.values_at("size", "latency")
        }.uniq)
    end

    def test_a_paused_queue_is_listed_even_when_it_is_empty
      store.pause("nothing_yet")
      assert_equal([["nothing_yet", 0, true]],
        store.queues.map { |one| one.values_at("name", "size", "paused") })
    end

    def test_entries_have_the_name_of_their_set
      fill
      Jobs::Store::SETS.each do |set|
        assert_equal([set], [set, *store.entries(set).map(&:set)].uniq)
      end
      assert_equal([1, 2], args_in(:queue, queue: "default"))
      assert_equal([1, 2, 3, 12], args_in(:queue).sort)
      assert_equal([5, 4], args_in(:scheduled))
    end

    def test_the_newest_dead_job_comes_first
      3.times do |n|
        enqueue(n)
        one = claim_one
        store.bury(one, one.payload)
        before = now
        wait_until { now > before + 0.002 }
      end
      assert_equal([2, 1, 0], args_in(:dead))
    end

    def test_a_running_entry_has_the_time_of_its_claim
      enqueue(1)
      before = now
      claim
      entry = store.entries(:running).first
      assert_equal(["default", [1]], [entry.queue, entry.item["args"]])
      assert_in_delta(before, entry.at, 60)
    end

    def test_entries_come_in_pages
      enqueue(*0...10)
      assert_equal([3, 4, 5], args_in(:queue, queue: "default", offset: 3, limit: 3))
      assert_equal([9], args_in(:queue, queue: "default", offset: 9, limit: 3))
      assert_equal([], args_in(:queue, queue: "default", offset: 10))
      claim(10).each { |one| store.retry(one, one.payload, now + 100 + one.item["args"].first) }
      assert_equal([3, 4, 5], args_in(:retry, offset: 3, limit: 3))
      store.entries(:retry, limit: 100).each { |one| store.kill([one]) }
      assert_equal(10, args_in(:dead, limit: 100).size)
      assert_equal(args_in(:dead, limit: 100)[3, 3], args_in(:dead, offset: 3, limit: 3))
    end

    def test_entries_can_be_filtered_by_text
      enqueue("needle one", "hay", "needle two", "100% _ [a]*", at: now + 900)
      assert_equal(["needle one", "needle two"], args_in(:scheduled, match: "needle"))
      assert_equal(["needle two"], args_in(:scheduled, match: "needle", offset: 1))
      assert_equal([], args_in(:scheduled, match: "NEEDLE"))
      assert_equal(["100% _ [a]*"], args_in(:scheduled, match: "% _ [a]*"))
      enqueue("in a queue", "hay")
      assert_equal(["in a queue"], args_in(:queue, queue: "default", match: "in a q"))
    end

    def test_a_job_is_found_in_any_set
      fill
      Jobs::Store::SETS.flat_map { |set| store.entries(set) }.each do |entry|
        found = store.find(entry.jid)
        assert_equal([entry.set, entry.queue, entry.payload],
          [found.set, found.queue, found.payload])
      end
    end

    def test_a_finished_job_is_not_found
      id, = enqueue(1)
      refute_nil(store.find(id))
      store.ack(claim)
      assert_nil(store.find(id))
    end

    def test_a_search_may_be_limited
      enqueue(1, 2, queue: "other")
      store.promote
      Jobs::Store::SETS.flat_map { |set| store.entries(set) }.each do |entry|
        assert_equal(entry.payload, store.find(entry.jid, most: 10).payload)
      end
      assert_nil(store.find("f" * 24, most: 10))
      assert_nil(store.find("f" * 24))
    end

    # A store that counts quickly returns all the same.
    def test_counts_may_end_early
      enqueue(*0...5)
      enqueue(*0...5, queue: "other")
      counts = store.counts(most: 3)
      assert_includes([3, 10], counts[:queue])
      assert_equal(store.counts.keys, counts.keys)
      sizes = store.queues(most: 3).to_h { |queue| [queue["name"], queue["size"]] }
      assert_includes([{"default" => 3, "other" => 3}, {"default" => 5, "other" => 5}], sizes)
      assert_equal({"default" => 5, "other" => 5},
        store.queues.to_h { |queue| [queue["name"], queue["size"]] })
    end

    def test_the_latency_of_a_queue_is_that_of_its_oldest
      [3, -2].each { |priority| enqueue(priority, own: {priority: priority}) }
      old = draft(1)
      item = old.payload.sub(/"enqueued_at":\d+/) { "\"enqueued_at\":#{((now - 900) * 1000).to_i}" }
      store.enqueue([old.with(payload: item)])
      assert_in_delta(900, store.queues.first["latency"], 60)
    end

    def test_unreadable_payloads_are_shown
      store.enqueue([Jobs::Draft.new(jid: "0" * 24, queue: "default", payload: "no JSON", at: nil,
        extras: nil)])
      entry = store.entries(:queue).first
      assert_equal(["no JSON", {}, nil], [entry.payload, entry.item, entry.jid])
      assert_equal(1, store.queues.first["size"])
      assert_equal(1, store.delete([entry]))
      assert_places
    end

    def test_the_store_shows_its_address
      assert_match(/\A[a-z]+:/, store.url)
    end
  end
end
