# frozen_string_literal: true

require_relative "actor_case"
require "objspace"

# Objects and bytes of actors, and many actors at once.
class ActorCountsTest < Raffia::TestCase
  include ActorCase
  include ActorCase::Inside

  class Echo < Raffia::Actor
    def initialize(following = nil) = @following = following

    def echo(value) = value

    def pass(number) = @following ? @following.pass(number + 1) : number
  end

  # Objects that are shared with others: the search stops there.
  SHARED = [Module, Symbol, Thread, Fiber, Raffia::Actor::Settings, Raffia::Actor::ActorLoop,
    Raffia::Actor::Interface,
    ObjectSpace::InternalObjectWrapper].freeze

  def own_objects(root)
    seen = {}.compare_by_identity
    waiting = [root]
    until waiting.empty?
      object = waiting.pop
      if seen[object] || SHARED.any? { |kind| kind === object } ||
          (object.frozen? && (object == [] || object == {}))
        next
      end

      seen[object] = true
      waiting.concat(ObjectSpace.reachable_objects_from(object).to_a)
    end
    seen.keys
  end

  def test_an_idle_actor_is_eight_objects_and_no_fiber
    need_cruby("the layout of objects")
    with_actors do
      actor = Echo.spawn
      actor.echo("x" * 1_000)
      objects = own_objects(actor)
      assert_operator(objects.size, :<=, 8, objects.map(&:class).inspect)
      assert_operator(objects.sum { |object| ObjectSpace.memsize_of(object) }, :<=, 900)
    end
  end

  def allocations(times = 500)
    3.times { yield }
    GC.disable
    before = GC.stat(:total_allocated_objects)
    times.times { yield }
    (GC.stat(:total_allocated_objects) - before) / times.to_f
  ensure
    GC.enable
  end

  def test_objects_that_are_made
    need_cruby("GC.stat")
    with_actors do
      actor = Echo.spawn
      assert_operator(allocations { actor.echo(1) }, :<=, 16)
      assert_operator(allocations { actor.future.echo(1).value }, :<=, 24)
      assert_operator(allocations { Echo.spawn }, :<=, 20)
    end
  end

  def test_a_hundred_thousand_idle_actors_fit_into_200_megabytes
    skip "there is no /proc here" unless File.readable?("/proc/self/statm")

    used = output_of(<<~RUBY)
      require "raffia/actor"
      class Echo < Raffia::Actor
        def echo(value) = value
      end
      Raffia.run do
        all = Array.new(100_000) { Echo.spawn }
        all.each { |one| one.echo(1) }
        puts File.read("/proc/self/statm").split[1].to_i * 4096
        $stdout.flush
        exit!
      end
    RUBY
    assert_operator(used.to_i, :>, 0)
    assert_operator(used.to_i, :<, 200_000_000)
  end

  def test_ten_thousand_at_work
    with_actors do
      all = Array.new(10_000) { Echo.spawn }
      futures = all.each_with_index.map { |one, number| one.future.echo(number) }
      assert_equal((0...10_000).sum, futures.sum(&:value))
    end
  end

  def test_a_long_way_of_calls
    with_actors do
      first = 500.times.reduce(nil) { |following, _| Echo.spawn(following) }
      assert_equal(499, first.pass(0))
    end
  end

  def test_under_a_stressed_collector
    need_cruby("GC.stress")
    assert_equal("[1, 2, 3]\n", output_of(<<~RUBY))
      require "raffia/actor"
      class Echo < Raffia::Actor
        def echo(value) = value
      end
      Raffia.run do
        one = Echo.spawn
        GC.stress = 1 # at each allocation, but for old objects
        answers = [one.echo(1), one.future.echo(2).value, Echo.spawn.echo(3)]
        GC.stress = false
        p answers
      end
    RUBY
  end

  def test_while_objects_move
    need_cruby("GC.compact")
    with_actors do
      all = Array.new(100) { Echo.spawn }
      futures = all.map { |one| one.future.echo(one) }
      GC.compact
      assert_equal(all, futures.map(&:value))
      GC.compact
      assert_equal([1] * 100, all.map { |one| one.echo(1) })
    end
  end
end
