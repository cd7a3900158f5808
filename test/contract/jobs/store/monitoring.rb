# frozen_string_literal: true

require_relative "case"
require "raffia/jobs/store_metrics"

module JobsStoreContract
  # Figures that monitoring and autoscalers read of any store.
  module Monitoring
    include Case

    def store_state = Jobs::StoreState.new(store).to_h

    def test_the_state_of_an_empty_store
      assert_equal [0, [], {"limit" => 0, "rate" => 0}, 0],
        store_state.values_at("counts", "queues", "blocked", "open").then { |counts, *rest|
          [counts["queue"], *rest]
        }
    end

    def test_sizes_and_overdue_jobs_by_queue
      enqueue(1, 2, queue: "mail")
      enqueue(3, queue: "late", at: now + 0.2)
      enqueue(4, queue: "mail", at: now + 900)
      sleep 0.3
      queues = store_state["queues"]
        .to_h { |queue| [queue["name"], queue.values_at("size", "overdue")] }
      assert_equal({"mail" => [2, 0], "late" => [0, 1]}, queues)
    end

    def test_blocked_jobs_by_reason
      enqueue(1, 2, own: {"limit" => {"key" => "one", "max" => 1}})
      enqueue(3, 4, own: {"rate" => {"name" => "crm", "key" => "crm", "allow" => 1, "per" => 3600}})
      claim
      assert_equal({"limit" => 1, "rate" => 1}, store_state["blocked"])
      assert_equal 0, store_state["open"]
    end

    def test_workers_and_what_they_did
      store.enroll("test:1:b", {"concurrency" => 7}, ttl: 600)
      assert_equal({"processes" => 1, "slots" => 7, "busy" => 0}, store_state["workers"])
    end

    def test_nothing_else_is_counted_in_an_empty_store
      assert_equal [{}, {}, {}],
        [store.expired, *store_state.values_at("flows", "workflows")]
    end

    def test_the_text_has_all_families
      enqueue(1, queue: "mail")
      store.pause("mail")
      text = Jobs::StoreMetrics.text(Jobs::StoreState.new(store))
      ["raffia_jobs{set=\"queue\"} 1", "raffia_queue_size{queue=\"mail\"} 1",
        "raffia_queue_paused{queue=\"mail\"} 1", "raffia_queue_overdue{queue=\"mail\"} 0",
        "raffia_jobs_blocked{reason=\"rate\"} 0", "raffia_cluster_workers 0",
        "raffia_scaling_desired_workers 0", "# EOF"].each do |line|
        assert_includes text.lines(chomp: true), line
      end
    end
  end
end
