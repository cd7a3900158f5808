# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Random sequences of all operations that move jobs, against a model: a Hash of each job's set.
  # A failure's message has the seed: RAFFIA_MODEL_SEED=N runs it again.
  module Model
    include Case

    SEQUENCES = 6
    STEPS = 120
    MOVES = %i[enqueue enqueue schedule claim claim claim ack retry_soon retry_late bury discard
      release promote requeue kill delete pause resume].freeze

    def test_random_sequences_leave_each_job_where_the_model_has_it
      seeds = if ENV["RAFFIA_MODEL_SEED"]
        [ENV["RAFFIA_MODEL_SEED"].to_i]
      else
        Array.new(SEQUENCES) { Random.new_seed % 1_000_000 }
      end
      seeds.each { |seed| sequence(seed) }
    end

    private

    def sequence(seed)
      @random = Random.new(seed)
      @model = {}
      @held = {}
      @paused = Set[]
      @steps = []
      STEPS.times do
        move = MOVES.sample(random: @random)
        @steps << move
        send(:"move_#{move}")
        assert_equal(@model.values.tally, places, "after #{@steps.last(5)}, seed #{seed}")
      end
      assert_equal(@model, actual, "seed #{seed}")
      assert_equal([], store.check, "seed #{seed}")
      tidy
    end

    def actual
      everything = Jobs::Store::SETS.flat_map { |set| store.entries(set, limit: 10_000) }
      assert_equal(everything.size, everything.map(&:jid).uniq.size, "a job is in two places")
      everything.to_h { |one| [one.jid, one.set] }
    end

    def tidy
      store.release(@held.values)
      %w[a b].each { |queue| store.resume(queue) }
      %i[queue scheduled retry dead].each { |set| store.clear(set) }
      assert_places
    end

    def some(set, entries = store.entries(set, limit: 10_000))
      entries.sample(@random.rand(1..3), random: @random)
    end

    def held = @held.keys.sample(@random.rand(1..3), random: @random).map { |jid| @held.fetch(jid) }

    def queue = %w[a b].sample(random: @random)

    def move_enqueue
      drafts = Array.new(@random.rand(1..4)) do |n|
        draft(n, queue: queue, own: ({priority: @random.rand(3)} if @random.rand < 0.3))
      end
      store.enqueue(drafts).each { |jid| @model[jid] = :queue }
    end

    def move_schedule
      store.enqueue([draft(0, queue: queue, at: now + 9000)])
        .each { |jid| @model[jid] = :scheduled }
    end

    def move_claim
      waiting = @model.count do |jid, set|
        set == :queue && !@paused.include?(store.find(jid).queue)
      end
      limit = @random.rand(1..5)
      claims = claim(limit, queues: %w[a b].shuffle(random: @random))
      assert_equal([waiting, limit].min, claims.size)
      claims.each { |one| hold(one) }
    end

    def hold(one)
      assert_equal(:queue, @model[one.item["jid"]], "claimed, and was not waiting")
      @model[one.item["jid"]] = :running
      @held[one.item["jid"]] = one
    end

    def move_ack
      claims = held
      assert(store.ack(claims).all?)
      let_go(claims)
    end

    def move_retry_soon
      held.first(1).each do |one|
        assert(store.retry(one, one.payload, now - 1)) && let_go([one], :retry)
      end
    end

    def move_retry_late
      held.first(1).each do |one|
        assert(store.retry(one, one.payload, now + 9000)) && let_go([one], :retry)
      end
    end

    def move_bury
      held.first(1).each { |one| assert(store.bury(one, one.payload)) && let_go([one], :dead) }
    end

    def move_discard = held.first(1).each { |one| assert(store.discard(one)) && let_go([one]) }

    def move_release
      claims = held
      assert_equal(claims.size, store.release(claims))
      let_go(claims, :queue)
    end

    def move_promote
      due = store.entries(:retry, limit: 10_000).select { |one| one.at <= now }
      store.promote
      due.each { |one| @model[one.jid] = :queue }
    end

    def move_requeue = operate(:requeue, %i[scheduled retry dead], :queue)

    def move_kill = operate(:kill, %i[queue scheduled retry], :dead)

    def move_delete = operate(:delete, %i[queue scheduled retry dead], nil)

    def move_pause = queue.then { |name| store.pause(name) || @paused.add(name) }

    def move_resume = queue.then { |name| store.resume(name) || @paused.delete(name) }

    def operate(how, sets, to)
      entries = some(sets.sample(random: @random))
      assert_equal(entries.size, store.public_send(how, entries))
      entries.each { |one| to ? @model[one.jid] = to : @model.delete(one.jid) }
    end

    def let_go(claims, to = nil)
      claims.each do |one|
        jid = one.item["jid"]
        @held.delete(jid)
        to ? @model[jid] = to : @model.delete(jid)
      end
    end
  end
end
