# frozen_string_literal: true

require "test_helper"
require "raffia/jobs/testing"
require "raffia/jobs/testing/assertions"

class JobsTestingTest < Raffia::TestCase
  include Raffia::Jobs::Testing::Assertions

  Testing = Raffia::Jobs::Testing

  # Arguments of the jobs that ran in this test.
  module Seen
    def seen = Fiber[:seen]
  end

  class MailJob
    include Raffia::Job
    include Seen

    options queue: "mail"
    def perform(*args) = seen << [:mail, *args]
  end

  class OtherJob
    include Raffia::Job
    include Seen

    def perform(*args) = seen << [:other, *args]
  end

  class ChainJob
    include Raffia::Job
    include Seen

    def perform(left)
      seen << [:begin, left]
      ChainJob.perform_async(left - 1) if left > 0
      seen << [:end, left]
    end
  end

  class BrokenJob
    include Raffia::Job

    def perform(*) = raise(IOError, "broken")
  end

  class OnceJob < MailJob
    options unique: :done, limit: 1
  end

  class WalkJob
    include Raffia::Job
    include Raffia::Jobs::Iteration
    include Seen

    max_runtime 1e-9
    def build_enumerator(count, cursor:) = array_enumerator((1..count).to_a, cursor: cursor)

    def each_iteration(number, _count) = seen << number
  end

  def setup
    super
    Fiber[:seen] = []
  end

  def seen = Fiber[:seen]

  def test_jobs_are_kept_and_not_done
    Testing.fake do
      id = MailJob.perform_async(1, "a")
      MailJob.perform_in(900, 2)
      OtherJob.perform_async(3)
      assert_equal([[1, "a"], [2]], MailJob.jobs.map { |item| item["args"] })
      assert_equal([id, "mail"], MailJob.jobs.first.values_at("jid", "queue"))
      assert_in_delta(Time.now.to_f + 900, MailJob.jobs.last["at"], 60)
      assert_equal(3, Testing.jobs.size)
      assert_empty(seen)
    end
  end

  def test_each_block_has_its_own
    Testing.fake do
      MailJob.perform_async(1)
      assert_equal([], Testing.fake { MailJob.jobs })
      assert_equal(1, MailJob.jobs.size)
    end
  end

  def test_drain_does_those_of_a_class
    Testing.fake do
      MailJob.perform_bulk([[1], [2]])
      MailJob.perform_in(900, 3)
      OtherJob.perform_async(4)
      assert_equal(3, MailJob.drain)
      assert_equal([[:mail, 1], [:mail, 2], [:mail, 3]], seen)
      assert_equal([0, 1], [MailJob.jobs.size, OtherJob.jobs.size])
      assert_equal(0, MailJob.drain)
    end
  end

  def test_only_what_is_due_by_a_time_is_drained
    Testing.fake do
      MailJob.perform_in(60, 1)
      MailJob.perform_in(3600, 2)
      MailJob.perform_async(0)
      OtherJob.perform_in(60, 3)
      assert_equal(2, MailJob.drain(due_by: Time.now + 900))
      assert_equal([[:mail, 0], [:mail, 1]], seen)
      assert_equal(0, Testing.drain_all(due_by: Time.now.to_i))
      assert_equal(1, Testing.drain_all(due_by: Time.now + 900))
      assert_equal([[2]], Testing.jobs.map { |item| item["args"] })
    end
  end

  def test_drain_all_does_what_comes_meanwhile_too
    Testing.fake do
      ChainJob.perform_async(2)
      OtherJob.perform_async(9)
      assert_equal(4, Testing.drain_all)
      assert_equal([[:begin, 2], [:end, 2], [:other, 9], [:begin, 1], [:end, 1], [:begin, 0],
        [:end, 0]], seen)
      assert_empty(Testing.jobs)
    end
  end

  def test_one_by_one
    Testing.fake do
      MailJob.perform_bulk([[1], [2]])
      assert_equal([true, [[:mail, 1]]], [MailJob.perform_one, seen])
      assert_equal([true, false], [MailJob.perform_one, MailJob.perform_one])
    end
  end

  def test_clear
    Testing.fake do
      MailJob.perform_async(1)
      OtherJob.perform_async(2)
      MailJob.clear
      assert_equal([0, 1], [MailJob.jobs.size, OtherJob.jobs.size])
      Testing.clear_all
      assert_empty(Testing.jobs)
    end
  end

  def test_what_a_drained_job_raises_comes_out_and_the_job_is_dead
    Testing.fake do
      BrokenJob.perform_async
      MailJob.perform_async(1)
      assert_raises(IOError) { Testing.drain_all }
      assert_equal([1, 1], Raffia::Jobs.store.counts.values_at(:dead, :queue))
      assert_equal(1, Testing.drain_all)
    end
  end

  def test_stores_rules_are_kept
    Testing.fake do
      assert_equal([String, NilClass], [OnceJob.perform_async(1),
        OnceJob.perform_async(1)].map(&:class))
      OnceJob.drain
      refute_nil(OnceJob.perform_async(1))
    end
  end

  def test_arguments_are_those_that_json_gives_back
    Testing.fake do
      assert_raises(Raffia::Jobs::BadArguments) { MailJob.perform_async(:symbol) }
      hash = {"a" => [1]}
      MailJob.perform_async(hash)
      MailJob.drain
      assert_equal([[:mail, hash]], seen)
      refute_same(hash, seen.first.last)
    end
  end

  def test_inline_does_jobs_at_once
    Testing.inline do
      assert_match(/\A\h{24}\z/, MailJob.perform_async(1))
      MailJob.perform_in(900, 2)
      MailJob.perform_bulk([[3], [4]])
      assert_equal([1, 2, 3, 4], seen.map(&:last))
      assert_raises(Raffia::Jobs::BadArguments) { MailJob.perform_async(:symbol) }
      assert_empty(Testing.jobs)
    end
  end

  def test_inline_does_what_jobs_enqueue_before_they_go_on
    Testing.inline { ChainJob.perform_async(1) }
    assert_equal([[:begin, 1], [:begin, 0], [:end, 0], [:end, 1]], seen)
  end

  def test_inline_lets_errors_out
    Testing.inline do
      assert_raises(IOError) { BrokenJob.perform_async }
      MailJob.perform_async(1)
    end
    assert_equal([[:mail, 1]], seen)
  end

  def test_inline_and_fake_both_do_long_jobs_to_their_end
    Testing.inline { WalkJob.perform_async(3) }
    Testing.fake do
      WalkJob.perform_async(3)
      Testing.drain_all
    end
    assert_equal([1, 2, 3, 1, 2, 3], seen)
  end

  def test_middleware_is_called_as_always
    calls = []
    setup = Raffia::Jobs::Setup.current
    links = [->(item, &go) { (calls << [:client, item["args"]]) && go.call },
      ->(_job, item, &go) { (calls << [:worker, item["args"]]) && go.call }]
    setup.client_middleware.add(links[0])
    setup.worker_middleware.add(links[1])
    Testing.fake { MailJob.perform_async(1) && MailJob.drain }
    Testing.inline { MailJob.perform_async(2) }
    assert_equal([[:client, [1]], [:worker, [1]], [:client, [2]], [:worker, [2]]], calls)
  ensure
    setup.client_middleware.remove(links[0])
    setup.worker_middleware.remove(links[1])
  end

  def test_threads_and_fibers_of_the_block_are_part_of_it
    Testing.fake do
      Thread.new { MailJob.perform_async(1) }.join
      Fiber.new { MailJob.perform_async(2) }.resume
      Raffia.run { |scope| scope.spawn { MailJob.perform_async(3) }.join }
      assert_equal([[1], [2], [3]], MailJob.jobs.map { |item| item["args"] })
    end
  end

  def test_tests_side_by_side_do_not_see_each_other
    sizes = Array.new(4) do |n|
      Thread.new { Testing.fake { n.times { MailJob.perform_async(1) } && MailJob.jobs.size } }
    end
    assert_equal([0, 1, 2, 3], sizes.map(&:value))
  end

  def test_without_a_block_it_is_so_until_told_otherwise
    Thread.new do
      Testing.fake
      MailJob.perform_async(1)
      assert_equal(1, MailJob.jobs.size)
      Testing.inline
      MailJob.perform_async(2)
      assert_equal([[:mail, 2]], seen)
      Testing.real
      assert_nil(Raffia::Jobs::Setup.current.fiber_client)
    end.join
  end

  def test_a_block_may_be_real_again
    Testing.fake do
      fake = Raffia::Jobs.store
      Testing.real { assert_nil(Raffia::Jobs::Setup.current.fiber_client) }
      assert_same(fake, Raffia::Jobs.store)
    end
  end

  def test_assertions
    Testing.fake do
      refute_enqueued(MailJob)
      MailJob.perform_async(1)
      found = assert_enqueued(MailJob, args: [2], queue: "mail", count: 1) do
        MailJob.perform_bulk([[2], [3]])
      end
      assert_equal([[2]], found.map { |item| item["args"] })
      assert_enqueued(MailJob, at: Time.now + 900) { MailJob.perform_in(900, 4) }
      assert_enqueued(MailJob, count: 4)
      refute_enqueued(MailJob) { OtherJob.perform_async(1) }
      refute_enqueued(MailJob, args: [9])
    end
  end

  def test_assertions_that_fail_tell_what_there_is
    Testing.fake do
      MailJob.perform_async(1)
      other = /or more of .*MailJob with args \[2\] should be .*; there are .*"args" ?=> ?\[1\]/
      {{args: [2]} => other, {count: 2} => /2 of .*MailJob should/}.each do |wanted, message|
        assert_match(message,
          assert_raises(Minitest::Assertion) { assert_enqueued(MailJob, **wanted) }.message)
      end
      assert_match(/there are none/,
        assert_raises(Minitest::Assertion) { assert_enqueued(MailJob) {} }.message)
      assert_raises(Minitest::Assertion) { refute_enqueued(MailJob) }
    end
  end

  def test_a_real_store_is_not_asked
    out = output_of(<<~RUBY)
      require "raffia/jobs/testing"
      require "tmpdir"
      class AJob
        include Raffia::Job
        def perform = nil
      end
      store = Class.new(Raffia::Jobs::Store) { def url = "real:" }.new
      Raffia::Jobs.store = store
      begin
        AJob.jobs
      rescue Raffia::ConfigError => error
        puts error.message
      end
    RUBY
    assert_match(/jobs go to real: here: wrap the test in Raffia::Jobs::Testing.fake/, out)
  end
end
