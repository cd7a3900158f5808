# frozen_string_literal: true

require "test_helper"
require "raffia/actor"

# Contract of topics on each executor.
module ActorTopicsContract
  LONG = 30

  class Reader < Raffia::Actor
    attr_reader :heard

    def initialize(*patterns)
      @patterns = patterns
      @heard = []
    end

    def on_start = @patterns.each { |pattern| subscribe(pattern, :on_news) }

    def on_news(topic, *data, **more) = @heard << [topic, *data, *([more] unless more.empty?)]

    def hear(pattern) = subscribe(pattern, :on_news)

    def hear_with_a_block(pattern)
      subscribe(pattern) { |topic, *data| @heard << [:block, topic, *data] }
    end

    def hear_by(name) = subscribe("x", name)

    def hear_nothing = subscribe("x")

    def leave(pattern = nil) = unsubscribe(pattern)

    def await(path) = (sleep(0.001) until File.exist?(path))

    def fail_with(text) = raise(ArgumentError, text)

    def tell(topic) = Raffia::Actor.publish(topic, :received)

    private

    def secret = nil
  end

  # Restarts its actor at once, unless it is set not to.
  class Parent
    attr_accessor :mercy

    def initialize = @mercy = true

    def ended(core, reason) = @mercy ? core.restart : core.die(reason)
  end

  def reader(*patterns, **options)
    @readers ||= []
    Reader.spawn(*patterns, on: place, **options).tap { |made| @readers << made }
  end

  def publish(...) = Raffia::Actor.publish(...)

  def teardown
    @readers&.each { |one| one.raffia_core.kill(:over, final: true) }
    @readers&.each { |one| assert(one.join(LONG), "#{one.inspect} does not end") }
    wait_until(LONG, "subscriptions are left") { Raffia::Actor.topics.empty? }
    super
  end

  def test_one_that_often_changes_its_mind_is_watched_once
    one = reader
    watchers = -> { one.raffia_core.links.observers }
    one.hear("a")
    before = watchers.call
    3.times { one.leave.then { one.hear("a") } }
    assert_equal(before, watchers.call)
    assert_equal(1, publish("a", 1))
    one.leave
    assert_equal(0, publish("a", 2))
  end

  def test_each_subscriber_hears_of_it
    ann, ben = reader("orders.new"), reader("orders.new")
    other = reader("orders.old")
    assert_equal(2, publish("orders.new", 1, 2))
    assert_equal(2, publish(:"orders.new", kind: :big))
    expected = [["orders.new", 1, 2], ["orders.new", {kind: :big}]]
    assert_equal([expected, expected, []], [ann, ben, other].map(&:heard))
  end

  def test_a_topic_without_subscribers
    assert_equal(0, publish("nobody.there"))
  end

  def test_wildcards_stand_for_words
    pairs = {"orders.*" => "orders.new", "orders.**" => "orders.new orders.new.paid",
             "*.new" => "orders.new",
             "**.paid" => "orders.new.paid", "orders.?ew" => "orders.new",
             "**" => "orders orders.new orders.new.paid", "o*s" => "orders"}
    pairs.each do |pattern, topics|
      one = reader(pattern)
      %w[orders orders.new orders.new.paid].each { |topic| publish(topic) }
      assert_equal(topics.split, one.heard.map(&:first), pattern)
      one.kill
      one.join(LONG)
    end
  end

  def test_what_looks_like_a_pattern_to_others_is_a_word
    one = reader("a+b.[c]")
    assert_equal([1, 0], [publish("a+b.[c]"), publish("aab.c")])
    assert_equal([["a+b.[c]"]], one.heard)
  end

  def test_a_block_runs_in_the_actor
    one = reader
    one.hear_with_a_block("a.*")
    publish("a.b", 1)
    assert_equal([[:block, "a.b", 1]], one.heard)
  end

  def test_twice_the_same_is_the_same
    one = reader("a", "a")
    one.hear("a")
    assert_equal(1, publish("a"))
    assert_equal([["a"]], one.heard)
  end

  def test_unsubscribe
    one = reader("a", "b", "c")
    one.leave("a")
    assert_equal([0, 1, 1], %w[a b c].map { |topic| publish(topic) })
    one.leave
    assert_equal([0, 0, 0], %w[a b c].map { |topic| publish(topic) })
    assert_equal([["b"], ["c"]], one.heard)
  end

  def test_what_waits_is_not_heard_of_after_unsubscribing
    one = reader("a")
    Dir.mktmpdir do |folder|
      one.async.await(gate = File.join(folder, "gate").freeze)
      one.async.leave
      publish("a")
      File.write(gate, "")
      assert_empty(one.heard)
    end
  end

  def test_an_actors_subscriptions_end_with_it
    {stop: "a", kill: "b"}.each do |way, topic|
      one = reader(topic)
      one.public_send(way)
      one.join(LONG)
      assert_equal(0, publish(topic))
    end
    failing = reader("c")
    assert_raises(ArgumentError) { failing.fail_with("end") }
    assert_equal(0, publish("c"))
  end

  def test_the_next_object_has_what_it_subscribes_to_when_it_starts
    one = raised(Parent.new, "kept")
    one.hear("lost")
    one.hear_with_a_block("lost")
    assert_raises(ArgumentError) { one.fail_with("again") }
    wait_until { one.status == :running }
    assert_equal([1, 0], [publish("kept"), publish("lost")])
    assert_equal([["kept"]], one.heard)
    assert_equal(["kept"], Raffia::Actor.topics.keys)
  end

  def test_what_is_published_between_two_objects_waits
    parent = Class.new(Parent) { def ended(_cell, _reason) = nil }.new
    one = raised(parent, "kept")
    assert_raises(ArgumentError) { one.fail_with("again") }
    assert_equal([:restarting, 1], [one.status, publish("kept", 1)])
    one.raffia_core.restart
    assert_equal([["kept", 1]], one.heard)
  end

  def test_an_end_after_a_restart
    one = raised(parent = Parent.new, "kept")
    2.times { assert_raises(ArgumentError) { one.fail_with("again") } }
    wait_until { one.status == :running }
    parent.mercy = false
    assert_raises(ArgumentError) { one.fail_with("for good") }
    one.join(LONG)
    assert_equal(0, publish("kept"))
  end

  def raised(parent, *patterns)
    factory = Raffia::Actor::ObjectFactory.new(Reader, patterns, {}, nil)
    Reader.raffia_spawn(factory, on: place, parent: parent).tap { |made| (@readers ||= []) << made }
  end

  def test_the_mailbox_says_what_becomes_of_too_much
    slow = {reject: reader("a", mailbox: 2, when_full: :reject),
            drop_newest: reader("b", mailbox: 2, when_full: :drop_newest),
            drop_oldest: reader("c", mailbox: 2, when_full: :drop_oldest)}
    Dir.mktmpdir do |folder|
      gate = File.join(folder, "gate").freeze
      slow.each_value { |one| one.async.await(gate) || wait_until { one.stats[:handled] == 1 } }
      taken = %w[a b c].map { |topic| Array.new(5) { |number| publish(topic, number) } }
      File.write(gate, "")
      wait_until { slow.each_value.all? { |one| one.stats[:mailbox].zero? } }
      assert_equal([[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 1, 1]], taken)
    end
    assert_equal([[0, 1], [0, 1], [3, 4]], slow.values.map { |one| one.heard.map(&:last) })
    assert_equal([[2, 3]] * 3, Raffia::Actor.topics.sort
      .map { |_, counts| counts.values_at(:delivered, :dropped) })
  end

  def test_counts
    reader("a.*")
    2.times { reader("a.b") }
    3.times { publish("a.b") }
    publish("a.c")
    assert_equal({"a.*" => {subscribers: 1, delivered: 4, dropped: 0},
      "a.b" => {subscribers: 2, delivered: 6, dropped: 0}}, Raffia::Actor.topics)
  end

  def test_an_actor_may_hear_of_what_it_publishes
    one = reader("a")
    assert_equal(1, one.tell("a"))
    assert_equal([["a", :received]], one.heard)
  end

  def test_what_means_nothing_is_refused
    one = reader
    [nil, 1, "", "a..b", ".a", "a b"].each do |name|
      assert_raises(Raffia::ConfigError, name.inspect) { publish(name) }
    end
    assert_raises(NoMethodError) { reader.hear_by(:secret) }
    assert_raises(NoMethodError) { reader.hear_by(:missing) }
    assert_raises(Raffia::ConfigError) { reader.hear_nothing }
    assert_raises(Raffia::ConfigError) { one.hear("a..b") }
  end
end
