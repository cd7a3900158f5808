# frozen_string_literal: true

require "test_helper"
require "logger"
require "raffia/actor"

# Actors on threads that fail, are killed, end their own thread and make others, while several
# threads call them: each call is answered.
class ActorThreadsStressTest < Raffia::TestCase
  SEED = Integer(ENV.fetch("RAFFIA_STORM_SEED", Random.new_seed % 1_000_000))
  CALLERS = 4
  CALLS = 250
  TARGETS = 12
  # Seconds after which a call counts as never answered.
  LONG = 60

  class Target < Raffia::Actor
    def next(number) = number + 1
    def boom = raise("boom")
    def die = Thread.exit
    def pass(other, number) = other.next(number)

    def make(number)
      made = Target.spawn(on: :threads)
      made.next(number)
    ensure
      made&.stop
    end
  end

  def setup
    Raffia.timeout(1) { nil } # the stdlib's thread for that stays
    @log = Raffia::Actor.log
    Raffia::Actor.log = Logger.new(nil, level: Logger::UNKNOWN)
  end

  def teardown
    Raffia::Actor.log = @log
  end

  def test_each_call_is_answered
    answers = assert_no_leaks do
      tree = Raffia::Supervisor.spawn(intensity: nil, backoff: 0) do |s|
        TARGETS.times { |n| s.child(Target, id: n, on: :threads) }
      end
      targets = tree.children
      callers = Array.new(CALLERS) { |n| Thread.new { call(targets, Random.new(SEED + n)) } }
      callers.flat_map(&:value).tally.tap { Raffia::Actor.shutdown }
    end

    assert_equal(CALLERS * CALLS, answers.values.sum)
    assert_empty(answers.keys - [2, true, Raffia::ActorDied, Raffia::CallCycle, RuntimeError],
      "with RAFFIA_STORM_SEED=#{SEED}")
    assert_operator(answers[2], :>, CALLS)
  end

  def call(targets, random)
    Array.new(CALLS) do
      Raffia.timeout(LONG) do
        ask(targets.sample(random: random), targets.sample(random: random), random.rand(12))
      end
    rescue Raffia::Error, RuntimeError => error
      error.class
    end
  end

  def ask(target, other, what)
    case what
    when 0 then target.boom
    when 1 then target.die
    when 2 then target.kill || true
    when 3 then target.make(1)
    when 4 then target.pass(other, 1)
    else target.next(1)
    end
  end
end
