# frozen_string_literal: true

require_relative "redis_case"
require_relative "store/workflow_case"

# Workflows in Redis: results that scripts copy, a cancel that is cut off, payloads of other programs,
# and the same random events as in memory.
class JobsRedisWorkflowsTest < Raffia::TestCase
  include JobsRedisCase
  include JobsStoreContract::WorkflowCase

  ODD = [[], {}, 12_345_678_901_234_567_890, 1e-7, "é</script>\u0001\u0006,]}\"\\", nil, false,
    {"a" => {"[" => []}}].freeze

  # cjson would make {} of [], and round large numbers.
  def test_scripts_copy_results_as_they_are
    open_workflow(job_step("a"), each_step("b", "a", ODD, **undo("x")),
      job_step("c", {"raffia:result" => "b"}, ODD, after: %w[b]), job_step("d", after: %w[c]))
    finish_step(ODD)
    claim(20).each_with_index do |one, index|
      assert_equal([ODD[index], ODD], one.item["args"])
      one.result = JSON.generate(ODD[index])
      store.ack([one])
    end
    assert_equal(ODD, result("b"))
    assert_equal(["c", ODD, ODD], finish_step.item["args"])
    one = claim_one
    store.bury(one, one.payload)
    assert_equal([[ODD.last, ODD]], store.entries(:queue).map { |entry| entry.item["args"] })
  end

  def test_jobs_of_steps_have_the_fields_of_other_jobs
    open_workflow(job_step("a", "expires_in" => 900))
    item = claim_one.item
    assert_in_delta(now * 1000, item["enqueued_at"], 30_000)
    assert_equal(item["enqueued_at"], item["created_at"])
    assert_kind_of(Integer, item["enqueued_at"])
    assert_match(/\A\h{24}\z/, item["jid"])
    assert_in_delta(now + 900, item.dig("raffia", "expires_at"), 30)
    assert_equal({"id" => "w", "node" => "a"}, item.dig("raffia", "workflow"))
  end

  def test_times_are_written_as_sidekiq_7_does
    @store = open_store(compat: 7)
    open_workflow(job_step("a"))
    assert_kind_of(Float, claim_one.item["enqueued_at"])
  end

  def test_ids_of_jobs_are_new_after_each_retry_and_in_each_workflow_of_an_id
    seen = Array.new(3) do
      store.prune(batches_for: -1)
      open_workflow(job_step("a"))
      jids = [finish_step.item["jid"]]
      store.retry_workflow("w", "a")
      jids << finish_step.item["jid"]
    end
    assert_equal(6, seen.flatten.uniq.size)
  end

  def test_priorities_and_turns_of_steps_count
    own = {"raffia" => {"priority" => 3}}
    high = job_step("high")
    open_workflow(job_step("low"), {**high, "item" => {**high["item"], **own}})
    assert_equal(%w[high low], args(claim))
  end

  def test_arguments_that_are_nested_too_deep_make_a_step_dead
    open_workflow(job_step("a"), each_step("b", "a"),
      job_step("c", [{"raffia:result" => "a"}], after: %w[a]),
      job_step("d", {"raffia:result" => "a"}, after: %w[a]))
    finish_step([deep(97)])
    assert_equal(%w[active dead active], states.values_at("b", "c", "d"))
    assert_match(/\Athe arguments of NoJob are nested too deep/, error_of("c"))
    assert_equal(2, claim.each { |one| one.item["args"] }.size)
  end

  def test_arguments_that_are_too_large_make_a_step_dead
    names = Array.new(70) { |number| "s#{number}" }
    all = names.map { |name| {"raffia:result" => name} }
    open_workflow(*names.map { |name| job_step(name) }, job_step("all", all, after: names))
    claim(70).each { |one| one.result = JSON.generate("x" * 250_000) }
      .each_slice(10) { |some| store.ack(some) }
    assert_match(/\Ajob \h{24} \(NoJob\) has 17\d+ bytes, the limit is 16777216/, error_of("all"))
    assert_equal(["failed", []], [state, store.check])
  end

  # The process dies after the first of two steps.
  def test_jobs_of_a_cancelled_workflow_are_dropped_by_claims
    open_workflow(job_step("a", **undo("x")), job_step("b"), job_step("c"))
    store.ack(claim(1))
    redis.call("ZADD", "schedule", 1, redis.call("RPOP", "queue:default"))
    without_search { store.cancel_workflow("w", "enough") }
    assert_equal([{queue: 1, scheduled: 1}, "cancelling"], [places, state])
    store.promote
    assert_empty(claim)
    assert_equal([%w[cancelled cancelled], "undoing"], [states.values_at("b", "c"), state])
    assert_equal(["a"], args(claim))
  end

  def test_a_cancel_finds_jobs_in_all_places
    enqueue(*0...1500)
    steps = %w[running retry blocked low queue].map { |name| job_step(name) }
    limit = {"limit" => {"key" => "l", "max" => 1}}
    steps.zip([limit, nil, limit, {"priority" => -1}]) { |step, own| step["item"]["raffia"] = own.to_h }
    open_workflow(*steps)
    queued = claim(1503).select { |one| one.item["raffia"] }.to_h { |one| [one.item["args"][0], one] }
    assert_equal(%w[running retry queue], queued.keys)
    store.retry(queued["retry"], queued["retry"].payload, now + 900)
    store.release([queued["queue"]])
    enqueue(*0...1500)
    assert_equal({running: 1501, retry: 1, blocked: 1, queue: 1502}, places)
    store.cancel_workflow("w", "enough")
    assert_equal({running: 1501, queue: 1500}, places)
    assert_equal(1, states.values.count("active"))
    store.ack([queued["running"]])
    assert_equal(["cancelled", []], [state, store.check])
  end

  def test_fields_of_other_programs_that_are_no_workflow_change_nothing
    [5, "w", [], {}, {"id" => "w"}, {"id" => 1, "node" => "a"}, {"id" => "x", "node" => "a"},
      {"id" => "w", "node" => "none"}, {"id" => "w", "node" => "a"}].each do |workflow|
      payload = JSON.generate(draft(1).then { |one| JSON.parse(one.payload) }
        .merge("raffia" => {"workflow" => workflow}))
      redis.call("LPUSH", "queue:other", payload)
    end
    open_workflow(job_step("a"))
    claims = claim(10, queues: %w[other])
    assert_equal(9, claims.size)
    claims.first(4).each { |one| store.bury(one, one.payload) }
    store.requeue(store.entries(:dead))
    assert_equal([true] * 5, store.ack(claims.last(5)))
    store.clear(:queue, queue: "default")
    assert_equal(["failed", []], [state, store.check])
  end

  def test_a_lost_node_is_reported
    open_workflow(job_step("a"), job_step("b"))
    redis.call("HDEL", "raffia:workflow_nodes:w", "b")
    assert_equal(["workflow w counts 2 pending nodes, and has 1"], store.check)
  end

  def test_nothing_is_left_of_workflows_that_were_pruned
    open_workflow(job_step("a", **undo("x")), each_step("b", "a", **undo("y")))
    finish_step([1, 2])
    store.ack(claim)
    store.prune(batches_for: -1)
    assert_empty(redis.call("KEYS", "raffia:*workflow*"))
  end

  private

  def deep(levels) = JSON.parse("#{"[" * levels}1#{"]" * levels}")

  def error_of(name) = store.workflow("w")["nodes"].find { |one| one["name"] == name }["error"]

  def without_search
    jobs = store.instance_variable_get(:@workflows).instance_variable_get(:@jobs)
    jobs.define_singleton_method(:drop) { |*| nil }
    yield
  ensure
    jobs.singleton_class.remove_method(:drop)
  end
end
