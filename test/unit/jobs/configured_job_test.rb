# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

# The ways to enqueue a job, through the store of this process.
class JobsCallTest < Raffia::TestCase
  class SumJob
    include Raffia::Job

    options queue: "sums", retry: 2
    def perform(*numbers) = numbers.sum

    class << self
      attr_accessor :seen # standard:disable ThreadSafety/ClassAndModuleAttributes
    end
  end

  class LimitedJob
    include Raffia::Job

    options limit: 1, limit_key: ->(tenant, *) { tenant }
    def perform(*) = jid
  end

  def setup
    super
    @before = Raffia::Jobs::Setup.current.instance_variable_get(:@store)
    Raffia::Jobs.store = "memory:"
    @store = Raffia::Jobs.store
  end

  def teardown
    Raffia::Jobs.store = @before || "memory:"
    super
  end

  def items(set = :queue) = @store.entries(set).map(&:item)

  def test_what_is_no_time
    ["soon", nil, :now].each do |time|
      [-> { SumJob.perform_in(time) }, -> { SumJob.perform_at(time) },
        -> { SumJob.perform_bulk([[1]], at: time || "") },
        -> { SumJob.perform_bulk([[1]], at: [time]) },
        -> { SumJob.perform_bulk([[1]], spread: time || "") }].each do |call|
        error = assert_raises(Raffia::ConfigError, &call)
        assert_match(/SumJob: .*such as .*and not #{Regexp.escape(time.inspect)}|not ""/,
          error.message)
      end
    end
    assert_empty items
    assert_empty items(:scheduled)
  end

  def test_perform_async
    id = SumJob.perform_async(1, 2)
    assert_equal([{"class" => SumJob.name, "args" => [1, 2], "queue" => "sums", "retry" => 2,
                   "jid" => id}], items.map { |item| item.except("created_at", "enqueued_at") })
  end

  def test_perform_in_and_at
    SumJob.perform_in(900, 1)
    SumJob.perform_at(Time.now + 1800, 2)
    SumJob.perform_at(Time.now.to_i + 2700, 3)
    SumJob.perform_in(-5, 4)
    assert_equal([1, 2, 3], items(:scheduled).map { |item| item["args"].first })
    assert_equal([900, 1800, 2700], @store.entries(:scheduled)
      .map { |entry| (entry.at - Time.now.to_f).round(-2) })
    assert_equal([[4]], items.map { |item| item["args"] })
  end

  def test_perform_bulk
    ids = SumJob.perform_bulk([[1], [2, 3], []])
    assert_equal([[1], [2, 3], []], items.map { |item| item["args"] })
    assert_equal(ids, items.map { |item| item["jid"] })
    assert_equal([], SumJob.perform_bulk([]))
  end

  def test_jobs_of_perform_bulk_have_the_fields_of_single_ones
    SumJob.perform_async(1)
    SumJob.perform_bulk([["\u00fc\"", {"a" => [nil]}]])
    one, many = items
    assert_equal(one.keys.sort, many.keys.sort)
    assert_equal(one.slice("class", "queue", "retry"), many.slice("class", "queue", "retry"))
    assert_equal(["\u00fc\"", {"a" => [nil]}], many["args"])
  end

  def test_perform_bulk_of_more_than_a_slice
    ids = SumJob.perform_bulk(Array.new(1100) { |number| [number] })
    found = @store.entries(:queue, limit: 1100)
    assert_equal([1100, ids], [ids.uniq.size, found.map(&:jid)])
    assert_equal((0...1100).to_a, found.flat_map { |entry| entry.item["args"] })
  end

  def test_perform_bulk_refuses_as_perform_async_does
    [[[1], [Object]], [[1], 2]].each do |list|
      assert_raises(Raffia::Jobs::BadArguments) { SumJob.perform_bulk(list) }
    end
    assert_raises(Raffia::Jobs::PayloadTooLarge) do
      SumJob.perform_bulk([["a" * Raffia::Jobs::Payload::LIMIT]])
    end
    assert_empty(items)
  end

  def test_perform_bulk_calls_middleware
    chain = Raffia::Jobs.client.instance_variable_get(:@middleware)
    link = ->(item, &inner) { inner.call unless item["args"] == [2] }
    chain.add(link)
    ids = SumJob.perform_bulk([[1], [2], [3]])
    assert_equal([[1], [3]], items.map { |item| item["args"] })
    assert_nil(ids[1])
  ensure
    chain.remove(link)
  end

  def test_perform_bulk_in_a_batch
    batch = Raffia::Jobs::Batch.new
    batch.jobs { SumJob.perform_bulk([[1], [2]]) }
    assert_equal([batch.id] * 2, items.map { |item| item["raffia"]["batch"] })
  end

  def test_perform_bulk_at_one_time_or_at_many
    now = Time.now.to_f
    SumJob.perform_bulk([[1], [2]], at: now + 900)
    SumJob.perform_bulk([[3], [4]], at: [now + 1800, Time.at(now + 2700)])
    SumJob.perform_bulk([[5], [6]], at: now + 3600, spread: 600)
    assert_equal([[1, 900], [2, 900], [3, 1800], [4, 2700], [5, 3600], [6, 3900]],
      @store.entries(:scheduled).map { |entry| [entry.item["args"].first, (entry.at - now).round] })
    assert_refused("there are 1 times for 2 jobs") { SumJob.perform_bulk([[1], [2]], at: [now]) }
  end

  def test_options_for_one_call
    SumJob.set(queue: "other", tags: %w[x]).set(priority: 4).perform_async(1)
    assert_equal(["other", %w[x], 2, {"priority" => 4}],
      items.first.values_at("queue", "tags", "retry", "raffia"))
    SumJob.perform_async(2)
    assert_equal("sums", items.find { |item| item["args"] == [2] }["queue"])
  end

  def test_keys_are_made_of_the_arguments
    LimitedJob.perform_async("acme", 1)
    assert_equal({"limit" => {"key" => "#{LimitedJob.name}:acme", "max" => 1}},
      items.first["raffia"])
  end

  def test_expiry_counts_from_when_it_is_due
    SumJob.set(expires_in: 60).perform_in(900, 1)
    assert_in_delta(Time.now.to_f + 960, items(:scheduled).first["raffia"]["expires_at"], 60)
  end

  def test_perform_inline_gives_the_arguments_as_a_worker_would
    assert_equal(6, SumJob.perform_inline(1, 2, 3))
    assert_match(/\A\h{24}\z/, LimitedJob.perform_inline("a"))
    assert_raises(Raffia::Jobs::BadArguments) { SumJob.perform_inline(:a) }
    assert_empty(items)
  end

  def test_perform_inline_goes_through_the_workers_middleware
    seen = []
    link = ->(job, item, &go) {
      (seen << [job.class, item["args"], job.jid == item["jid"]]) && go.call + 1
    }
    Raffia::Jobs::Setup.current.worker_middleware.add(link)
    assert_equal(4, SumJob.perform_inline(1, 2))
    assert_equal([[SumJob, [1, 2], true]], seen)
  ensure
    Raffia::Jobs::Setup.current.worker_middleware.remove(link)
  end

  def test_enqueue_takes_names_too
    ids = Raffia::Jobs.enqueue([{"class" => "Elsewhere::Job", "args" => [1]},
      {"class" => SumJob, "args" => [2], "queue" => "x"}])
    assert_equal(2, ids.compact.size)
    assert_equal([["Elsewhere::Job", "default"], [SumJob.name, "x"]],
      items.map { |item| item.values_at("class", "queue") })
  end
end
