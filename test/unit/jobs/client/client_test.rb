# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsClientTest < Raffia::TestCase
  # Tells how many jobs came at once.
  class Counting < SimpleDelegator
    attr_reader :slices

    def enqueue(drafts, **)
      (@slices ||= []) << drafts.size
      super
    end
  end

  def setup
    super
    @store = Counting.new(Raffia::Jobs::Store.open("memory:"))
    @middleware = Raffia::Jobs::Middleware.new
    @client = Raffia::Jobs::Client.new(@store, @middleware)
  end

  def item(*args, **more) = {"class" => "A", "args" => args, **more.transform_keys(&:to_s)}

  def args = @store.entries(:queue, limit: 5000).map { |entry| entry.item["args"].first }

  # Other tests of this process may have used up the names that are counted: the total tells.
  def test_jobs_are_counted_by_queue_and_class
    total = -> { Raffia::Jobs.enqueued.sum { |_, classes| classes.values.sum } }
    before = total.call
    named = {"class" => "CountedJob", "args" => [], "queue" => "counted"}
    ids = @client.enqueue([named, named.merge("wrapped" => "Wrapped")])
    assert_equal 2, ids.compact.size
    assert_equal 2, total.call - before
    seen = Raffia::Jobs.enqueued.values_at("counted", "(other)").compact.flat_map(&:keys)
    assert(seen.include?("Wrapped") || seen.include?("(other)"), seen.to_s)
  end

  def test_a_forked_process_counts_from_zero
    need_fork
    counts = Raffia::Jobs::Client::EnqueueCounts.new
    counts.add("mail", "A")
    reader, writer = IO.pipe
    ::Process.wait(fork do
      counts.add("mail", "B")
      writer.write(counts.to_h.to_a.flatten.inspect)
      exit!(0)
    end)
    writer.close
    assert_equal ["mail", {"B" => 1}].inspect, reader.read
    assert_equal({"mail" => {"A" => 1}}, counts.to_h)
  end

  def test_counts_of_endless_names_are_bounded
    counts = Raffia::Jobs::Client::EnqueueCounts.new
    1500.times { |n| counts.add("queue#{n}", "Job") }
    2.times { counts.add("queue0", "Job") }
    assert_equal [3, 500, 1001], [counts.to_h["queue0"]["Job"], counts.to_h["(other)"]["(other)"],
      counts.to_h.size]
  end

  def test_ids_come_in_the_order_of_the_jobs
    ids = @client.enqueue([item(1), item(2), item(3)])
    assert_equal(ids, @store.entries(:queue).map(&:jid))
    assert_equal([3], @store.slices)
  end

  def test_nothing_is_nothing
    assert_equal([], @client.enqueue([]))
    assert_nil(@store.slices)
  end

  def test_what_is_no_list_of_jobs_is_refused
    [{}, item(1), [item(1), "A"], nil].each do |wrong|
      error = assert_raises(Raffia::ConfigError) { @client.enqueue(wrong) }
      assert_match(/by an Array of Hashes/, error.message)
    end
    assert_empty(args)
  end

  def test_many_go_in_slices
    ids = @client.enqueue(Array.new(2500) { |n| item(n) })
    assert_equal([[1000, 1000, 500], 2500, (0...2500).to_a], [@store.slices, ids.uniq.size, args])
  end

  def test_one_bad_job_keeps_its_slice_out
    assert_raises(Raffia::Jobs::BadArguments) { @client.enqueue([item(1), item(:symbol)]) }
    assert_empty(args)
  end

  def test_middleware_may_change_a_job
    @middleware.add(->(item, &go) { (item["tags"] = %w[seen]) && go.call })
    @client.enqueue([item(1)])
    assert_equal(%w[seen], @store.entries(:queue).first.item["tags"])
  end

  def test_middleware_may_keep_jobs_out
    @middleware.add(->(item, &go) { go.call if item["args"].first.odd? })
    ids = @client.enqueue([item(1), item(2), item(3)])
    assert_equal([String, NilClass, String], ids.map(&:class))
    assert_equal([1, 3], args)
    assert_equal([nil], @client.enqueue([item(2)]))
  end

  def test_who_is_kept_out_by_the_store_and_by_middleware
    unique = {"unique" => {"key" => "k", "until" => "done", "conflict" => "skip"}}
    @middleware.add(->(item, &go) { go.call unless item["args"].first == 2 })
    ids = @client.enqueue([item(1, raffia: unique), item(2), item(3, raffia: unique), item(4)])
    assert_equal([true, false, false, true], ids.map { |id| !id.nil? })
    assert_equal([1, 4], args)
  end

  def test_a_draft_has_what_stores_need
    at = Time.now.to_f + 900
    draft = @client.draft(item(1, queue: "mail", at: at, raffia: {"priority" => 2}))
    assert_equal(["mail", at, {"priority" => 2}], [draft.queue, draft.at, draft.extras])
    refute_includes(draft.payload, "\"at\"")
    assert_equal(draft.jid, Raffia::Jobs::Payload.load(draft.payload)["jid"])
  end
end
