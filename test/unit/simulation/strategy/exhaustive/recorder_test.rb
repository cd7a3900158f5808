# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

class SimulationRecorderTest < Raffia::TestCase
  Recorder = Raffia::Simulation::Strategy::Exhaustive::Recorder
  Runner = Struct.new(:path)

  class Counter
    attr_accessor :value

    def initialize
      @value = 0
      @list = []
    end

    def increment = @value += 1

    def twice
      increment
      Fiber.yield
      @other = 1
    end

    def add(item) = @list << item

    def list = @list.size

    def odd = instance_variable_set(:@value, 1)
  end

  def setup
    need_cruby "bytecode"
    @threads = {}.compare_by_identity
    @recorder = Recorder.new { @threads[Fiber.current] }
  end

  def teardown = @recorder&.stop

  def test_steps_of_threads_and_what_they_touch
    counter = Counter.new
    take_turns(thread("a") { counter.increment }, thread("b") { counter.value })
    a, b = steps
    assert_equal %w[a b], [a, b].map(&:first)
    assert_includes a.last.writes.keys, [[:class, Counter.name], :@value]
    assert_includes b.last.reads.keys, [[:class, Counter.name], :@value]
    refute a.last.independent?(b.last)
  end

  def test_objects_that_threads_make_are_their_own
    take_turns(thread("a") { Counter.new.increment }, thread("b") { Counter.new.increment })
    a, b = steps.map(&:last)
    assert_includes a.writes.keys, [["a", 1], :@value]
    assert_includes b.writes.keys, [["b", 1], :@value]
    assert a.independent?(b)
  end

  def test_a_step_goes_on_in_its_line
    counter = Counter.new
    first = thread("a") { counter.twice }
    take_turns(first, thread("b") { nil })
    take_turns(first)
    assert_equal %w[a b a], steps.map(&:first)
    assert_includes steps.last.last.writes.keys, [[:class, Counter.name], :@other]
  end

  def test_locals_that_blocks_share
    shared = 0
    a = thread("a") { shared += 1 }
    b = thread("b") { own(1) }
    c = thread("c") { own(2) }
    take_turns(a, b, c)
    a, b, c = steps.map(&:last)
    assert_includes a.writes.keys, [:local, :shared]
    assert b.independent?(c), [b.writes, c.writes]
  end

  def test_methods_in_c
    counter = Counter.new
    take_turns(thread("a") { counter.add(1) }, thread("b") { counter.list },
      thread("c") { counter.odd })
    a, b, c = steps.map(&:last)
    assert_includes a.writes.keys, [:class, "Array"]
    assert_includes b.reads.keys, [:class, "Array"]
    assert_predicate c, :everything?
  end

  def test_taken_steps_are_gone
    @recorder.start
    thread("a") { nil }.resume
    assert_equal 1, @recorder.take.size
    assert_equal 0, @recorder.take.size
  end

  private

  def own(number)
    sum = 0
    2.times { sum += number }
    sum
  end

  def thread(path, &block)
    Fiber.new(&block).tap { |fiber| @threads[fiber] = Runner.new(path) }
  end

  def take_turns(*fibers)
    @recorder.start unless @steps
    @steps ||= []
    fibers.each(&:resume)
    @steps.concat(@recorder.take)
  end

  attr_reader :steps
end
