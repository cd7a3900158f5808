# frozen_string_literal: true

require_relative "children"

module JobsStoreContract
  # A store that was open before the process forked, on stores that processes share.
  module Forked
    include Children

    def test_a_child_works_with_the_store_it_inherits
      need_fork
      enqueue(1)
      lease
      text = in_child do
        store.clear(:queue)
        store.enqueue([draft("from the child")])
        mine = store.enroll("test:child:x", {}, ttl: 600)
        claims = store.claim(mine, %w[default], 5)
        [*args(claims), *store.ack(claims), *store.check].join(" ")
      end
      assert_equal("from the child true", text)
      store.clear(:queue)
      enqueue(2)
      assert_equal([2], args(claim))
    end

    def test_parent_and_children_work_at_the_same_time
      need_fork
      enqueue(0)
      children = Array.new(2) do
        Thread.new { in_child { Array.new(30) { |n| enqueue(n, queue: "child").first }.uniq.size } }
      end
      30.times { |n| enqueue(n) }
      assert_equal(%w[30 30], children.map(&:value))
      assert_equal(31, args_in(:queue, queue: "default").size)
      assert_equal([], store.check)
    end

    def test_a_process_may_fork_during_a_wait
      need_fork
      waiting = Thread.new { wait_for_job }
      wait_until { waiting.status == "sleep" }
      assert_equal("mine", in_child {
        enqueue("mine", queue: "child") &&
              args(wait_for_job(%w[child], by: store.enroll("test:child:y", {}, ttl: 600))).first
      })
      enqueue(1)
      assert_equal([1], args(waiting.value))
    end
  end
end
