# frozen_string_literal: true

require_relative "redis_case"
require_relative "store/workflow_case"

# The rules of workflows are written twice: in Ruby for other stores, and in Lua. Random graphs and
# events have the same effects in Redis as in memory.
class JobsRedisWorkflowModelTest < Raffia::TestCase
  include JobsRedisCase
  include JobsStoreContract::WorkflowCase

  # A store, with its claims by node.
  class Side
    attr_reader :store

    def initialize(store)
      @store = store
      @lease = store.enroll("test:1:m", {}, ttl: 600)
      @claims = {}
    end

    def claim
      store.promote
      store.claim(@lease, %w[default], 100).each { |one| (@claims[name(one)] ||= []) << one }
    end

    def names = @claims.keys.sort

    # The oldest claim of a node.
    def take(name)
      claims = @claims.fetch(name)
      claims.shift.tap { @claims.delete(name) if claims.empty? }
    end

    def entries(set, name) = store.entries(set).select { |one| name(one) == name }

    # The rest of the jobs is told by the workflow.
    def view
      seen = store.workflow("w")
      nodes = seen["nodes"].sort_by { |node| node["name"] }.map { |node| node.except("jid", "after") }
      [seen.except("nodes", "created_at", "completed_at"), !seen["completed_at"].nil?, nodes,
        store.counts.slice(*Raffia::Jobs::Store::SETS), results(nodes)]
    end

    private

    def name(one) = one.item.dig("raffia", "workflow", "node")

    def results(nodes)
      nodes.map { |node| store.workflow_result("w", node["name"])&.then { |json| JSON.parse(json) } }
    end
  end

  def test_random_events_have_the_same_effects_as_in_memory
    12.times { |seed| run_seed(seed) }
  end

  private

  def run_seed(seed)
    redis.call("FLUSHALL")
    random = Random.new(seed)
    memory = Raffia::Jobs::Store.open("memory:")
    sides = [memory, store].map { |one| Side.new(one) }
    nodes = graph(random)
    sides.each { |side| side.store.open_workflow("w", nodes) }
    events = []
    40.times do
      event = event(random, sides.first, nodes)
      events << event
      expected, seen = sides.map { |side| [apply(side, *event), side.view] }
      assert_equal(expected, seen, "seed #{seed} after #{events}")
    end
    assert_empty(store.check, "seed #{seed} after #{events}")
  ensure
    memory&.close
  end

  def graph(random)
    names = ("a".."h").first(2 + random.rand(7))
    names.each_with_index.map do |name, index|
      before = names.first(index).select { random.rand < 0.4 }
      how = {"on_failure" => (random.rand < 0.3) ? "run" : "skip"}
      how.update(undo("x")) if random.rand < 0.3
      next each_step(name, names[random.rand(index)], after: before, **how) if
        index > 0 && random.rand < 0.35

      args = before.map { |one| {"raffia:result" => one} }
      job_step(name, *args, after: before, **how)
    end
  end

  def event(random, side, nodes)
    name = side.names.sample(random: random)
    kind = random.rand
    return [:claim] if name.nil? && kind < 0.8 || kind < 0.2
    return [:cancel] if kind < 0.22
    return [:undo] if kind < 0.24
    return [:restart, nodes.sample(random: random)["name"]] if kind < 0.3 || name.nil?
    return [:requeue, name] if kind < 0.33
    return [%i[bury discard release retry delete kill].sample(random: random), name] if kind < 0.5

    [:ack, name, random.rand(5).zero? ? 7 : Array.new(random.rand(4)) { |n| [n] }]
  end

  def apply(side, kind, name = nil, value = nil)
    store = side.store
    case kind
    when :claim then side.claim.size
    when :cancel then cancel(store, "enough")&.transform_values(&:size)
    when :undo then undo_workflow(store)
    when :restart then store.retry_workflow("w", name)
    when :requeue then store.requeue(store.entries(:dead))
    when :delete, :kill then store.public_send(kind, store.entries(:queue).first(1))
    else end_claim(side, kind, side.take(name), value)
    end
  rescue Raffia::Jobs::Error => error
    error.message
  end

  # Waiting jobs are dropped set by set, so all of them are in one.
  def cancel(store, reason)
    store.promote
    store.cancel_workflow("w", reason)
  end

  # The same as {Raffia::Jobs::Workflow::Handle#undo}.
  def undo_workflow(store)
    cancel(store, "no more")
    store.undo_workflow("w", "no more")
  end

  def end_claim(side, kind, claim, value)
    store = side.store
    claim.result = JSON.generate(value) if kind == :ack
    case kind
    when :ack, :release then store.public_send(kind, [claim])
    when :bury then store.bury(claim, claim.payload)
    when :discard then store.discard(claim)
    when :retry then store.retry(claim, claim.payload, now - 1)
    end
  end
end
