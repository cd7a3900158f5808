# frozen_string_literal: true

require_relative "../contract/actor_contract"
require_relative "../contract/actor_remote_contract"

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

    def many(number) = Raffia.map((1..number).to_a, on: :fibers) { |each| sleep(0.001) && each * 2 }
  end

  def place = :ractors

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
    future = ref.future.spin(1)
    wait_until { ref.stats[:handled] == 1 }

    assert ref.kill(:enough)
    assert_raises(Raffia::ActorDied) { future.value(PATIENCE) }
    assert ref.join(PATIENCE)
    assert_raises(Raffia::ActorDied) { ref.sum }
  end

  private

  def reader = Reader.spawn(on: :ractors).tap { |ref| @spawned << ref }
end
