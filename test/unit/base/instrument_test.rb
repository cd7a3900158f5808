# frozen_string_literal: true

require "test_helper"
require "raffia/base"

class InstrumentTest < Raffia::TestCase
  def setup
    @instrument = Raffia::Instrument.new
    @events = []
  end

  def listen(*names) = @instrument.subscribe(*names) { |event| @events << event }

  def test_subscribers_hear_their_events
    listen(:a, :b)
    @instrument.emit(:a, {n: 1})
    @instrument.emit(:b)
    @instrument.emit(:c, {n: 2})
    assert_equal [[:a, {n: 1}], [:b, {}]], @events.map { |event| [event.name, event.data] }
    assert_operator @events.first.at, :<=, Raffia::Clock.now
  end

  def test_data_is_not_built_without_subscribers
    @instrument.emit(:a) { flunk }
    listen(:a)
    @instrument.emit(:a) { {n: 1} }
    assert_equal [{n: 1}], @events.map(&:data)
  end

  def test_emitting_without_subscribers_allocates_nothing
    need_cruby("counts of allocated objects")
    emit = -> { @instrument.emit(:a) { {n: 1} } }
    emit.call
    before = GC.stat(:total_allocated_objects)
    100.times { @instrument.emit(:a) { {n: 1} } }
    assert_operator GC.stat(:total_allocated_objects) - before, :<, 20
  end

  def test_cancelled_subscriptions_hear_nothing
    first = listen(:a)
    second = listen(:a)
    first.cancel
    first.cancel
    @instrument.emit(:a)
    assert_equal 1, @events.size
    assert @instrument.listening?(:a)
    second.cancel
    refute @instrument.listening?(:a)
  end

  def test_measure
    assert_equal(5, @instrument.measure(:a) { 5 })
    listen(:a)
    assert_equal(6, @instrument.measure(:a, {n: 1}) { 6 })
    assert_raises(IOError) { @instrument.measure(:a) { raise IOError } }
    good, bad = @events.map(&:data)
    assert_equal [1, nil], good.values_at(:n, :error)
    assert_operator good[:seconds], :>=, 0
    assert_instance_of IOError, bad[:error]
  end

  def test_a_broken_subscriber_does_not_break_the_work
    @instrument.subscribe(:a) { raise IOError, "broken" }
    listen(:a)
    _, warning = capture_io { @instrument.emit(:a) }
    assert_match(/subscriber of a failed.*broken/, warning)
    assert_equal 1, @events.size
  end

  def test_arguments
    assert_raises(ArgumentError) { @instrument.subscribe {} }
    assert_raises(ArgumentError) { @instrument.subscribe(:a) }
  end

  def test_each_ractor_has_its_own
    # before anything that may skip: what is put back must be known
    verbose, $VERBOSE = $VERBOSE, nil
    need_ractors
    assert_same Raffia.instrument, Thread.new { Raffia.instrument }.value
    ractor = Ractor.new { Raffia.instrument.subscribe(:a) {} && Raffia.instrument.listening?(:a) }
    assert(ractor.respond_to?(:value) ? ractor.value : ractor.take)
    refute Raffia.instrument.listening?(:a)
  ensure
    $VERBOSE = verbose
  end

  def test_local
    key = :raffia_local_test
    assert_equal(1, Raffia::RactorLocal.fetch(key) { 1 })
    assert_equal(1, Raffia::RactorLocal.fetch(key) { 2 })
  ensure
    Ractor.current[key] = nil if defined?(Ractor)
  end
end
