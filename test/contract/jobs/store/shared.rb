# frozen_string_literal: true

require_relative "forked"

module JobsStoreContract
  # Several handles and processes have the same jobs.
  module Shared
    include Forked

    # Tokens come from the clock: a store with older data would count to the same numbers again.
    def test_a_token_is_never_given_twice
      assert_in_delta(now, lease.token / 1e6, 3600)
    end

    def test_another_handle_sees_the_same_jobs
      enqueue(1)
      other = opened
      assert_equal({queue: 1}, other.counts.slice(*Jobs::Store::SETS)
        .reject { |_, count| count.zero? })
      one = other.claim(other.enroll("test:2:x", {}, ttl: 600), %w[default], 1).first
      assert_places(running: 1)
      assert_equal([true], other.ack([one]))
      assert_places
    end

    def test_a_job_of_another_handle_wakes_a_wait
      waiting = Thread.new { wait_for_job }
      opened.enqueue([draft(1)])
      assert_equal([1], args(waiting.value))
    end

    def test_a_job_of_another_process_wakes_a_wait
      need_fork
      waiting = Thread.new { wait_for_job }
      assert_equal("", in_child { open_store.enqueue([draft(1)]) && nil })
      assert_equal([1], args(waiting.value))
    end

    def test_a_wait_of_another_process_is_woken
      need_fork
      lease
      child = Thread.new do
        in_child do
          @store = open_store.tap { |one| @lease = one.enroll("test:3:x", {}, ttl: 600) } &&
            args(wait_for_job).first
        end
      end
      enqueue(7)
      assert_equal("7", child.value)
    end

    def test_each_job_is_claimed_by_one_process
      need_fork
      enqueue(*0...200)
      children = Array.new(3) do
        Thread.new do
          in_child do
            mine = open_store
            token = mine.enroll("test:#{::Process.pid}:x", {}, ttl: 600)
            found = []
            while (claims = mine.claim(token, %w[default], 5)).any?
              found.concat(args(claims))
              mine.ack(claims)
            end
            found.join(" ")
          end
        end
      end
      assert_equal((0...200).to_a, children.flat_map { |child| child.value.split.map(&:to_i) }.sort)
      assert_places
    end

    def test_jobs_of_a_killed_process_are_recovered_by_another
      need_fork
      enqueue(1, 2, 3)
      reader, writer = IO.pipe
      pid = fork do
        mine = open_store
        claims = mine.claim(mine.enroll("test:4:x", {}, ttl: 1), %w[default], 2)
        writer.puts(claims.size)
        sleep
      end
      writer.close
      reader.gets
      ::Process.kill(:KILL, pid)
      ::Process.wait(pid)
      recovered = []
      wait_until { recovered.concat(store.recover).size >= 2 || places == {queue: 3} }
      assert_places(queue: 3)
    ensure
      [reader, writer].each { |pipe| pipe&.close }
    end

    def test_tokens_are_higher_in_other_handles_too
      assert_operator(lease.token, :<, opened.enroll("test:5:x", {}).token)
    end

    def test_orders_come_from_other_handles_too
      lease
      assert(opened.order(lease.identity, "stop"))
      assert_equal(["stop"], store.beat(lease))
    end
  end
end
