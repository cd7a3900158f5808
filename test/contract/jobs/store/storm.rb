# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Many workers end their jobs in all ways, and one dies again and again: each job ends once.
  module Storm
    include Case

    JOBS = 60
    WORKERS = 4

    def test_each_job_ends_once_whatever_workers_do
      store.enqueue(Array.new(JOBS) { |n|
        draft(n, own: ({limit: {"key" => "k", "max" => 3}} if n % 3 == 0))
      })
      ended = Thread::Queue.new
      dying = Thread.new { 3.times { die } }
      Array.new(WORKERS) { |n| Thread.new { storm(Random.new(n), ended) } }.each(&:join)
      dying.join
      finish(ended)
      assert_equal((0...JOBS).to_a, Array.new(ended.size) { ended.pop }.sort)
      assert_places
      assert_equal([], store.check)
    end

    private

    def storm(random, ended)
      mine = store.enroll("test:storm:#{random.seed}", {}, ttl: 600)
      30.times do
        claims = store.claim(mine, %w[default], random.rand(1..4))
        claims.each { |one| end_somehow(one, random.rand(6), ended) }
        store.promote
        store.requeue(store.entries(:dead, limit: 3)) if random.rand < 0.2
      end
    ensure
      store.resign(mine)
    end

    def end_somehow(one, how, ended)
      case how
      when 0, 1 then ended << one.item["args"].first if store.ack([one]) == [true]
      when 2 then store.retry(one, one.payload, now - 1)
      when 3 then store.bury(one, one.payload)
      when 4 then store.release([one])
      else ended << one.item["args"].first if store.discard(one)
      end
    end

    # Holds its claims until others take the jobs.
    def die
      store.claim(store.enroll("test:storm:dying", {}, ttl: 0.1), %w[default], 2)
      sleep(0.12)
      store.recover
    end

    # Finishes the rest.
    def finish(ended)
      wait_until do
        store.recover
        store.promote
        store.requeue(store.entries(:dead, limit: JOBS))
        (claim(JOBS) + claim(JOBS, suspects: true)).each do |one|
          ended << one.item["args"].first if store.ack([one]) == [true]
        end
        places.empty?
      end
    end
  end
end
