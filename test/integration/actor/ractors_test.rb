# frozen_string_literal: true

require "tmpdir"
require_relative "../../contract/actor/actor_contract"
require_relative "../../contract/actor/remote_contract"

ActorCase.run(:ractors, ActorContract)

# Actors whose objects live in Ractors.
class ActorRactorsTest < Raffia::TestCase
  include ActorRemoteContract

  LIST = [[]] # standard:disable Style/MutableConstant

  class Unfit < Raffia::Actor
    def list = LIST
  end

  class Surprised < Raffia::Actor
    def list(name) = ActorRactorsTest.const_get(name)
  end

  class Reader < Raffia::Actor
    def where = Ractor.current.object_id
    def file(path) = File.read(path)

    def pipe(words)
      reader, writer = IO.pipe
      writer << words
      writer.close
      reader.read
    end

    def patient = Raffia.timeout(0.02) { sleep }

    def words
      nil.no_such_method
    rescue => error
      error.full_message(highlight: false)
    end

    def many(number) = Raffia.map((1..number).to_a, on: :fibers) { |each| sleep(0.001) && each * 2 }
  end

  class Keeper < Raffia::Actor
    def initialize(kept = nil, named: nil) = (@kept, @named = kept, named)

    def all = {kept: @kept, named: @named}
    def echo(value) = value
    def list = Ractor.make_shareable([1, ["two"]])

    def all_or(other, kept)
      (other.is_a?(Proc) ? Hash.new(&other) : Hash.new(other)).merge!(kept: kept)
    end

    def same?(one, other) = one.equal?(other)
  end

  Point = Data.define(:x)

  def place = :ractors

  def test_formatting_an_error_loads_nothing
    words = Reader.spawn(on: :ractors).words

    assert_match(/undefined method .no_such_method/, words)
    refute_includes words, "^^^"
  end

  def test_a_timeout_within_a_method
    reader = Reader.spawn(on: :ractors)

    assert_raises(Raffia::TimeoutError) { reader.patient }
  end

  # --- what is deeply frozen

  # @return [Array] of what may be seen by any Ractor
  def shareable
    Ractor.make_shareable([["a", {b: "c"}], {list: [1]}, Point.new(["x"]), "long" * 50_000])
  end

  def test_what_is_deeply_frozen_is_not_copied
    list, hash, point, string = all = shareable
    keeper = Keeper.spawn(list, named: hash, on: :ractors)

    assert_same list, keeper.all[:kept]
    assert_same hash, keeper.all[:named]
    [*all, all].each { |one| assert_same one, keeper.echo(one) }
    assert keeper.same?(point, point)
    assert_equal [1, ["two"]], keeper.list
    assert_predicate keeper.list, :frozen?
    refute_same string, keeper.echo(string.dup)
  ensure
    keeper&.stop
  end

  def test_all_else_is_copied_in_the_same_message
    frozen = shareable
    keeper = Keeper.spawn(on: :ractors)
    open = [1, "a".dup, {k: [2]}, nil]
    back = keeper.echo([frozen, open])

    assert_equal [frozen, open], back
    refute_same open, back.last
    refute_predicate back.last[1], :frozen?
    assert_equal [keeper, open], keeper.echo([keeper, open])
    many = Array.new(1_000) { [frozen] }

    assert_equal many, keeper.echo(many)
    assert_raises(Raffia::NotDumpable) { keeper.echo([frozen, proc {}]) }
    assert_same frozen, keeper.echo(frozen)
  ensure
    keeper&.stop
  end

  def test_what_a_hash_says_of_other_keys_comes_along
    keeper = Keeper.spawn(on: :ractors)

    assert_equal 7, keeper.all_or(7, shareable)[:nothing]
    assert_raises(Raffia::NotDumpable) { keeper.all_or(proc {}, shareable) }
  ensure
    keeper&.stop
  end

  def test_more_at_once_than_the_tray_holds_arrives_all_the_same
    frozen = shareable
    keeper = Keeper.spawn(on: :ractors)
    echoes = Array.new(100) { keeper.future.echo(frozen) }

    assert_equal [frozen], echoes.map(&:value).uniq
  ensure
    keeper&.stop
  end

  def test_each_has_a_ractor_of_its_own
    all = Array.new(3) { reader }

    assert_equal 3, all.map(&:where).uniq.size
    refute_includes all.map(&:where), Ractor.current.object_id
  end

  def test_several_at_once_with_io_inside
    all = Array.new(4) { reader }
    files = all.flat_map { |ref| Array.new(20) { ref.future.file(__FILE__) } }
    pipes = all.flat_map { |ref| Array.new(20) { ref.future.pipe("through a pipe") } }

    assert_equal [File.read(__FILE__)], files.map(&:value).uniq
    assert_equal ["through a pipe"], pipes.map(&:value).uniq
    assert_equal [[2, 4, 6]], all.map { |ref| ref.future.many(3) }.map(&:value).uniq
  end

  def test_what_keeps_a_class_from_ractors_is_named
    error = assert_raises(Raffia::NotShareable) { Unfit.spawn(on: :ractors) }

    assert_equal :LIST, error.variable
    assert_match(/its method list uses LIST/, error.message)
    error = assert_raises(Raffia::NotShareable) { Unfit.spawn(on: :ractors) { nil } }
    assert_match(/block/, error.message)
  end

  def test_what_only_shows_when_it_is_reached_is_the_actors_error
    ref = Surprised.spawn(on: :ractors).tap { |each| @spawned << each }

    assert_raises(Ractor::IsolationError) { ref.list(:LIST) }
    assert_equal :dead, ref.join(PATIENCE).status
  end

  def test_refs_in_what_it_is_made_of
    other = here

    assert_equal 101, spawn(others: [other]).add_to_inherited(1)
  end

  def test_one_that_computes_is_left_alone
    ref = spawn
    Dir.mktmpdir do |folder|
      future = ref.future.spin_beside(folder.freeze)
      wait_until { ref.stats[:handled] == 1 }

      assert ref.kill(:enough)
      assert_raises(Raffia::ActorDied) { future.value(PATIENCE) }
      assert ref.join(PATIENCE)
      assert_raises(Raffia::ActorDied) { ref.sum }
    end
  end

  private

  def reader = Reader.spawn(on: :ractors).tap { |ref| @spawned << ref }
end
