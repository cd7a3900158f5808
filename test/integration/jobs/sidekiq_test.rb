# frozen_string_literal: true

require_relative "sidekiq_case"

# Jobs go from Sidekiq's client to our worker and from ours to its, whichever way they take: at
# once, in bulk, later, after a failure.
class JobsSidekiqTest < Raffia::TestCase
  include JobsSidekiqCase

  ARGUMENTS = [1, -2.5, "zwölf", nil, true, [], {}, {"a" => [{"b" => []}]},
    12_345_678_901_234_567_890].freeze

  def test_jobs_of_their_client_are_done_by_our_worker
    jids = @sidekiq.ask(<<~RUBY)
      arguments = JSON.parse(#{JSON.generate(ARGUMENTS).inspect})
      [EchoJob.perform_async(*arguments), EchoJob.perform_in(0.5, "later"),
       *EchoJob.perform_bulk([["a"], ["b"]])]
    RUBY
    expected = jids.zip([ARGUMENTS, ["later"], ["a"], ["b"]]).to_h
    working { wait_until(LONG) { done_here.size == 4 } }
    assert_equal(expected, done_here)
  end

  def test_jobs_of_our_client_are_done_by_their_worker
    jids = [EchoJob.perform_async(*ARGUMENTS), EchoJob.perform_in(0.5, "later"),
      *EchoJob.perform_bulk([["a"], ["b"]])]
    expected = jids.zip([ARGUMENTS, ["later"], ["a"], ["b"]]).to_h
    @sidekiq.working { wait_until(LONG) { done_there.size == 4 } }
    assert_equal(expected, done_there)
  end

  def test_what_fails_here_is_tried_again_there
    jid = FailingJob.perform_async(1)
    working { wait_until(LONG) { payloads("retry").any? } }
    assert_equal([jid, 0, "ArgumentError", "on purpose"],
      payloads("retry").first.values_at("jid", "retry_count", "error_class", "error_message"))
    @sidekiq.ask("Sidekiq::RetrySet.new.retry_all; 1")
    @sidekiq.working { wait_until(LONG) { payloads("retry").any? } }
    # Their API takes one from the count, because it was not to be tried yet.
    assert_equal([jid, 0, "ArgumentError"],
      payloads("retry").first.values_at("jid", "retry_count", "error_class"))
  end

  def test_what_fails_there_is_tried_again_here
    jid = @sidekiq.ask("FailingJob.perform_async(1)")
    @sidekiq.working { wait_until(LONG) { payloads("retry").any? } }
    @store.requeue(@store.entries(:retry))
    working { wait_until(LONG) { payloads("retry").any? } }
    failed = payloads("retry").first
    assert_equal([jid, 1, "ArgumentError", "on purpose"],
      failed.values_at("jid", "retry_count", "error_class", "error_message"))
    assert_kind_of(failed["failed_at"].class, failed["retried_at"])
  end

  def test_both_work_on_one_queue_and_each_job_is_done_once
    jids = EchoJob.perform_bulk(Array.new(200) { |n| [n] })
    @sidekiq.working do
      wait_until(LONG) { done_there.any? }
      more = EchoJob.perform_bulk(Array.new(200) { |n| [n] })
      working do
        wait_until(LONG) do
          @redis.call("LLEN", "queue:default").zero? && (done_here.size + done_there.size) >= 400
        end
      end
      jids += more
    end
    assert_equal(jids.sort, (done_here.keys + done_there.keys).sort)
  end

  # Where nothing is said, it is looked up.
  def test_time_fields_are_those_of_the_version_that_is_about
    @redis.call("SADD", "processes", "old:1:abc")
    @redis.call("HSET", "old:1:abc", "info", JSON.generate("version" => "7.3.10"))
    Raffia::Jobs.store = Raffia::Jobs::Store.open(@url)
    FailingJob.perform_async
    item = JSON.parse(@redis.call("LINDEX", "queue:default", 0))
    assert_equal([Float, Float], item.values_at("created_at", "enqueued_at").map(&:class))
    assert_in_delta(Time.now.to_f, item["enqueued_at"], LONG)
  ensure
    Raffia::Jobs.store.close
  end
end
