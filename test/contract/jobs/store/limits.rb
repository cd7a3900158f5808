# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Limits of concurrent jobs with a key.
  module Limits
    include Case

    def limited(arg, max: 1, key: "k", **how)
      draft(arg, **how, own: {limit: {"key" => key, "max" => max}, **how.fetch(:own, {})})
    end

    def test_no_more_than_the_limit_are_claimed
      store.enqueue(Array.new(5) { |n| limited(n, max: 2) })
      assert_equal([0, 1], args(claim))
      assert_places(running: 2, blocked: 3)
      assert_equal([2, 3, 4], args_in(:blocked))
      assert_equal([], claim)
    end

    def test_other_jobs_pass_a_full_limit
      store.enqueue([limited(1), limited(2), draft(3), limited(4, key: "other")])
      assert_equal([1, 3, 4], args(claim))
    end

    def test_the_limit_holds_for_all_workers_and_queues
      store.enqueue([limited(1, queue: "a"), limited(2, queue: "b")])
      assert_equal([1], args(claim(queues: %w[a])))
      assert_equal([], claim(queues: %w[b], by: store.enroll("test:9:l", {}, ttl: 600)))
      assert_places(running: 1, blocked: 1)
    end

    # Every end of a claim.
    def test_the_oldest_blocked_job_comes_next
      ends = {
        ack: ->(one) { store.ack([one]) },
        retry: ->(one) { store.retry(one, one.payload, now + 900) },
        bury: ->(one) { store.bury(one, one.payload) },
        discard: ->(one) { store.discard(one) }
      }
      ends.each do |name, last|
        store.enqueue([limited(1), limited(2), limited(3)])
        one = claim_one
        enqueue("later")
        last.call(one)
        assert_equal([2, "later"], args(second = claim), name)
        assert_equal([3], args_in(:blocked), name)
        store.ack(second)
        store.ack(claim)
        assert_equal({}, places.slice(:queue, :blocked, :running), name)
      end
    end

    def test_acks_of_several_jobs_unblock_as_many
      store.enqueue(Array.new(6) { |n| limited(n, max: 3) })
      store.ack(claim)
      assert_equal([3, 4, 5], args(claim).sort)
    end

    def test_a_released_job_frees_its_place_in_the_limit
      store.enqueue([limited(1), limited(2)])
      store.release(claim)
      one = claim_one
      assert_places(running: 1, blocked: 1)
      store.ack([one])
      store.ack([claim_one])
      assert_places
    end

    def test_a_dead_worker_frees_its_places_in_the_limit
      store.enqueue([limited(1), limited(2)])
      lose
      store.ack([claim_one(suspects: true)])
      store.ack([claim_one])
      assert_places
    end

    def test_a_worker_that_resigns_frees_its_places_in_the_limit
      store.enqueue([limited(1), limited(2)])
      mine = store.enroll("test:8:l", {}, ttl: 600)
      claim(by: mine)
      store.resign(mine)
      2.times { store.ack([claim_one]) }
      assert_places
    end

    # Otherwise the jobs behind it would wait for ever.
    def test_a_job_removed_by_hand_unblocks_the_next
      {delete: -> { store.delete(store.entries(:queue)) },
       kill: -> { store.kill(store.entries(:queue)) },
       clear: -> { store.clear(:queue) }}.each do |name, leave|
        store.enqueue([limited(1), limited(2), limited(3)])
        store.ack([claim_one])
        assert_equal([2], args_in(:queue), name)
        leave.call
        assert_equal([3], args(one = claim), name)
        store.ack(one)
      end
    end

    def test_an_expired_job_unblocks_the_next
      over = now + 0.3
      store.enqueue([limited(1), limited(2, own: {expires_at: over}), limited(3)])
      one = claim_one
      wait_until { now > over + 0.1 }
      store.ack([one])
      assert_equal([3], args(claim))
      assert_places(running: 1)
    end

    def test_a_blocked_job_can_be_deleted_or_requeued
      store.enqueue([limited(1), limited(2), limited(3)])
      one = claim_one
      blocked = store.entries(:blocked)
      assert_equal(1, store.delete(blocked.first(1)))
      assert_equal(1, store.requeue(blocked.last(1)))
      assert_places(running: 1, queue: 1)
      assert_equal([], claim)
      assert_places(running: 1, blocked: 1)
      store.ack([one])
      assert_equal([3], args(claim))
    end

    def test_many_workers_never_pass_the_limit
      store.enqueue(Array.new(24) { |n| limited(n, max: 2) })
      running = most = 0
      lock = Mutex.new
      done =
        Array.new(3) {
          Thread.new do
            work_off { |change| lock.synchronize { most = [most, running += change].max } }
          end
        }.flat_map(&:value)
      assert_equal((0...24).to_a, done.sort)
      assert_includes(1..2, most)
    end

    private

    # Works until no job is left.
    # @yieldparam change [Integer] how many more run
    # @return [Array] what it has done
    def work_off
      mine = store.enroll("test:#{rand(1 << 64).to_s(16)}:m", {}, ttl: 600)
      done = []
      until store.counts.values_at(:queue, :blocked, :running) == [0, 0, 0]
        claims = store.claim(mine, %w[default], 3)
        next store.wait(%w[default], timeout: 0.1) if claims.empty?

        yield claims.size
        done.concat(args(claims))
        yield(-claims.size)
        store.ack(claims)
      end
      done
    end
  end
end
