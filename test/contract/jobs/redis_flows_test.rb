# frozen_string_literal: true

require_relative "redis_case"
require_relative "store/flow_case"

# Durable functions in Redis: what a sleeping one costs, jobs that other programs change meanwhile,
# older and full servers.
class JobsRedisFlowsTest < Raffia::TestCase
  include JobsRedisCase
  include JobsStoreContract::FlowCase

  ODD_ARGS = [[], {}, 12_345_678_901_234_567_890, 1e-7, {"enqueued_at" => 5}, "é</script>"].freeze

  def test_a_waiting_function_is_a_member_of_sidekiqs_schedule_and_costs_no_command
    ids = Array.new(50) do |number|
      id, one = started(number)
      store.await_step(one, number.even? ? sleeping : waiting("go"), number.even? ? HOUR : nil)
      id
    end
    assert_equal(50, redis.call("ZCARD", "schedule"))
    assert_equal(0, redis.call("EXISTS", "raffia:claims:#{lease.token}"))
    assert_equal(50, store.flows(status: "waiting", limit: 100).size)
    scores = redis.call("ZRANGE", "schedule", 0, -1, "WITHSCORES").map(&:last)
    assert_equal(50, scores.uniq.size)
    before = commands
    10.times { store.promote }
    assert_operator(commands - before, :<=, 10 * 8, "the number of functions must not matter")
    store.signal_flow(ids[1], "go", "1")
    assert_equal([1], args([claim_one]))
  end

  # cjson would make {} of [], and round large numbers.
  def test_a_wake_does_not_rewrite_the_payload
    id, = waits_for_go(*ODD_ARGS)
    parked = store.entries(:scheduled).first
    refute(parked.item.key?("enqueued_at"))
    store.signal_flow(id, "go", "1")
    awake = store.entries(:queue).first
    assert_equal(ODD_ARGS, awake.item["args"])
    assert_equal(parked.payload.chop, awake.payload[0, parked.payload.size - 1])
    assert_in_delta(now * 1000, awake.item["enqueued_at"], 30_000)
    assert_kind_of(Integer, awake.item["enqueued_at"])
  end

  def test_a_wake_writes_the_time_as_sidekiq_7_does
    @store = open_store(compat: 7)
    id, = waits_for_go(1)
    store.signal_flow(id, "go", "1")
    time = store.entries(:queue).first.item["enqueued_at"]
    assert_kind_of(Float, time)
    assert_in_delta(now, time, 30)
  end

  def test_a_job_that_was_changed_while_it_waits_is_woken
    id, = waits_for_go(1)
    entry = store.entries(:scheduled).first
    changed = JSON.generate(entry.item.merge("args" => [2]))
    assert_equal(1, store.replace([[entry, changed]]))
    assert_equal(1, store.move(store.entries(:scheduled), "other"))
    store.signal_flow(id, "go", "1")
    assert_equal([[], [2]], [claim, args(claim(queues: %w[other]))])
  end

  # A signal finds the job in its queue, and leaves it there.
  def test_a_signal_to_a_function_whose_time_has_come_stays
    id, = waits_for_go(1)
    store.requeue(store.entries(:scheduled))
    store.signal_flow(id, "go", "7")
    assert_places(queue: 1)
    again = claim_one
    store.load_flow(again)
    assert_equal([:done, "[7]"], store.await_step(again, waiting("go"), nil))
  end

  def test_names_of_signals_are_told_apart
    id, one = started
    names = ["go", "g", "", "go\0", "2:go", "goo", "é\n\"", "9" * 20]
    names.each { |name| store.signal_flow(id, name, JSON.generate(name)) }
    assert_equal(names, store.flow(id)["signals"])
    names.shuffle(random: Random.new(1)).each_with_index do |name, place|
      assert_equal([:done, JSON.generate([name])],
        store.await_step(one, waiting(name, place), nil))
    end
    assert_equal([], store.flow(id)["signals"])
  end

  # A worker that lives on must not add a step behind a gap.
  def test_a_redis_with_older_data_gets_no_steps_behind_a_gap
    id, one = started
    store.record_step(one, step(0))
    before = dump
    2.times { |number| store.record_step(one, step(number + 1)) }
    restore(before)
    assert_nil(store.record_step(one, step(3)))
    assert_places(queue: 1)
    assert_equal(%w[0], places_of(id))
    again = claim_one
    assert_match(/\ARedis came back with older data: steps after number 1 were executed, and are/,
      store.load_flow(again)["error"])
    assert_equal(:running, store.record_step(again, step(1)))
    assert_equal([], store.check)
  end

  def test_a_redis_from_before_a_new_run_gets_no_steps_of_it
    id, one = started
    3.times { |number| store.record_step(one, step(number)) }
    store.load_flow(one)
    before = dump
    store.continue_flow(one, one.payload)
    again = claim_one
    store.load_flow(again)
    restore(before)
    assert_nil(store.record_step(again, step(0, "9")), "its claim is gone")
    assert_equal(%w[0 1 2], places_of(id))
    assert_equal(:running, store.record_step(one, step(3)))
  end

  def test_a_function_sleeps_on_after_a_return_to_older_data
    id, one = started
    store.record_step(one, step(0))
    store.await_step(one, sleeping(1), HOUR)
    before = dump
    store.requeue(store.entries(:scheduled))
    again = claim_one
    store.load_flow(again)
    restore(before)
    assert_nil(store.record_step(again, step(2)))
    assert_places(scheduled: 1)
    assert_equal(["waiting", 2], store.flow(id).values_at("status", "steps"))
    assert_equal([], store.check)
  end

  def test_a_full_redis_records_nothing_and_lets_functions_leave
    id, one = started
    full do
      error = assert_raises(Jobs::StoreUnavailable) { store.record_step(one, step(0)) }
      assert_match(/has reached its maxmemory/, error.message)
      assert_equal(0, store.flow(id)["steps"])
      assert_equal(true, store.stall_flow(one, "no", HOUR))
    end
    assert_places(scheduled: 1)
    assert_equal([], store.check)
  end

  def test_lost_keys_are_reported
    ids = Array.new(3) do |number|
      id, one = started(number)
      store.record_step(one, step(0))
      id
    end
    assert_equal([], store.check)
    redis.call("DEL", "raffia:flow_steps:#{ids[0]}")
    redis.call("DEL", "raffia:flow:#{ids[1]}")
    field = redis.call("HGETALL", "raffia:claims:#{lease.token}")
      .find { |_, payload| payload.include?(ids[2]) }.first
    redis.call("HDEL", "raffia:claims:#{lease.token}", field)
    expected = ["flow #{ids[0]} counts 1 steps, and has 0",
      "flow #{ids[1]} is listed as running, and is gone",
      "flow #{ids[2]} is running, and has no job"]
    assert_equal(expected.sort, store.check.sort)
  end

  def test_the_error_of_an_encrypted_job_stays_encrypted
    {"a/b" => "x: {\"raffia:enc\":\"a/b\"}", nil => "x: y\n"}.each do |sealed, error|
      id, one = started(1, own: {"error" => sealed}.compact)
      store.bury(one, JSON.generate(one.item.merge("error_class" => "x", "error_message" => "y\n")))
      found = store.flow(id)["error"]
      assert_equal(Jobs::Store::Flows.failure(store.entries(:dead).first.payload), error)
      assert_equal(error, found.gsub("\\/", "/"))
      store.clear(:dead)
    end
  end

  def test_pruned_functions_leave_no_keys
    id, one = started
    child = flow_draft(2, flow: {"parent" => id})
    store.record_step(one, step(0), drafts: [child])
    store.signal_flow(id, "go", "1", key: "k")
    store.await_step(one, waiting("other", 1), nil, park: false)
    own = claim_one
    store.load_flow(own)
    [own, one].each do |claim|
      store.close_flow(claim, "done", result: "1")
      store.ack([claim])
    end
    wait_until do
      store.prune(batches_for: 0)
      redis.call("KEYS", "raffia:flow*").sort == ["raffia:flow_number"]
    end
  end

  def test_odd_fields_make_no_flow
    [nil, 5, [], {}, {"class" => 1}].each do |odd|
      redis.call("LPUSH", "queue:default", JSON.generate("class" => "X", "args" => [],
        "jid" => Jobs::Payload.id, "raffia" => {"flow" => odd}))
      one = claim_one
      assert_raises(Jobs::Error) { store.load_flow(one) }
      assert_equal([true], store.ack([one]))
    end
    assert_equal([], store.flows)
  end

  # Sidekiq's client of another process pushes what it found in `schedule`.
  def test_a_job_without_its_flow_says_so
    id, = waits_for_go(1)
    redis.call("DEL", "raffia:flow:#{id}")
    store.requeue(store.entries(:scheduled))
    error = assert_raises(Jobs::Error) { store.load_flow(claim_one) }
    assert_match(/has no flow/, error.message)
    assert_nil(store.signal_flow(id, "go", "1"))
  end

  private

  def waits_for_go(*args)
    id = store.enqueue([draft(*args, own: {"flow" => {"class" => "NoJob"}})]).first
    store.load_flow(one = claim_one)
    assert_equal([:parked], store.await_step(one, waiting("go"), nil))
    [id, one]
  end

  def commands = redis.call("INFO", "stats")[/^total_commands_processed:(\d+)/, 1].to_i

  def dump = redis.call("KEYS", "*").to_h { |key| [key, redis.call("DUMP", key)] }

  def restore(before)
    redis.multi do |transaction|
      transaction.call("FLUSHDB")
      before.each { |key, bytes| transaction.call("RESTORE", key, 0, bytes) }
    end
  end

  def full
    redis.call("CONFIG", "SET", "maxmemory", "1")
    yield
  ensure
    redis.call("CONFIG", "SET", "maxmemory", "0")
  end
end
