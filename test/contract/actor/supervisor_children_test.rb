# frozen_string_literal: true

require_relative "supervisor_case"

# How children are started and ended, one by one.
class ActorSupervisorChildrenTest < ActorSupervisorCase
  def test_when_a_child_does_not_start_those_before_it_are_stopped
    fails = Thread::Queue.new << :initialize
    error = assert_raises(Raffia::Supervisor::StartFailed) do
      tree do |s|
        s.child(Witness, :a, @journal, name: :a)
        s.child(Witness, :b, @journal, name: :b)
        s.child(Witness, :c, @journal, id: :c, fails: fails)
      end
    end

    assert_equal(:c, error.child)
    assert_equal("c does not start", error.cause.message)
    assert_equal([[:start, :a], [:start, :b], [:stop, :b, :shutdown], [:stop, :a, :shutdown]], said)
    assert_empty(%i[a b] & Raffia::Actor.names)
  end

  def test_a_restart_that_fails_counts_and_is_tried_again
    fails = Thread::Queue.new
    restarts = []
    listening = Raffia.instrument.subscribe(:actor_restart) { |event| restarts << event.data[:ref] }
    fails << nil
    tree = tree(intensity: 4, period: 600, backoff: 0.001) do |s|
      s.child(Witness, :a, @journal, name: :a, fails: fails)
    end
    3.times { fails << :initialize }
    fails << nil
    a = Raffia::Actor[:a]
    waiting = a.future.boom
    later = a.future.count

    assert_raises(RuntimeError) { waiting.value }
    assert_equal(1, later.value)
    settled(tree)

    assert_equal([a], restarts)
    assert_equal(4, a.stats[:restarts])
    assert_predicate(tree, :alive?)
    fails << :initialize
    assert_raises(RuntimeError) { a.boom }

    assert(tree.join(PATIENCE)) # the fifth
    assert_equal("boom", tree.reason.cause.message)
  ensure
    listening&.cancel
  end

  def test_one_that_never_starts_again_ends_its_supervisor
    fails = Thread::Queue.new << nil
    10.times { fails << :initialize }
    tree = tree(intensity: 5, period: 600) do |s|
      s.child(Witness, :a, @journal, name: :a, fails: fails)
    end
    assert_raises(RuntimeError) { Raffia::Actor[:a].boom }

    assert(tree.join(PATIENCE))
    assert_equal("a does not start", tree.reason.cause.message)
    assert_equal(5, fails.size)
    assert_equal(5, @log.string.scan("was not restarted").size)
  end

  def test_the_wait_before_a_restart_grows_up_to_a_bound
    plan = Raffia::Supervisor::Spec.new(backoff: 1, max_backoff: 6)
    waits = Array.new(6) { |count| plan.delay(count) }

    assert_equal([0], waits.uniq.first(1))
    waits.drop(1).zip([1, 2, 4, 6, 6]) { |wait, most| assert_includes((most * 0.75)..most, wait) }
    assert_equal([0, 0],
      Array.new(2) { |count| Raffia::Supervisor::Spec.new(backoff: 0).delay(count) })
  end

  def test_a_child_that_does_not_end_in_its_time_is_killed
    tree = tree { |s| s.child(Witness, :a, @journal, name: :a, shutdown: 0.01) }
    entered = Thread::Queue.new
    stubborn = Raffia::Actor[:a].future.stubborn(entered)
    entered.pop
    tree.stop

    assert(tree.join(PATIENCE))
    assert_raises(Raffia::ActorDied) { stubborn.value }
    assert_equal([[:start, :a], [:stop, :a, :killed]], said)
  end

  def test_a_thread_that_does_not_end_in_its_time_is_interrupted
    tree = tree { |s| s.child(Witness, :a, @journal, name: :a, shutdown: 0.01, on: :threads) }
    entered = Thread::Queue.new
    stubborn = Raffia::Actor[:a].future.stubborn(entered)
    entered.pop
    tree.stop

    assert(tree.join(PATIENCE))
    assert_raises(Raffia::ActorDied) { stubborn.value }
    assert_equal([[:start, :a], [:stop, :a, :killed]], said)
  end

  def test_brutal_kill_does_not_ask
    tree = tree do |s|
      s.child(Witness, :a, @journal, name: :a, shutdown: :brutal_kill, on: :threads)
    end
    entered = Thread::Queue.new
    asked = [Raffia::Actor[:a].future.stubborn(entered), Raffia::Actor[:a].future.count]
    entered.pop
    tree.stop

    assert(tree.join(PATIENCE))
    asked.each { |one| assert_raises(Raffia::ActorDied) { one.value } }
  end

  # Cannot be interrupted.
  class Deaf < Raffia::Actor
    def compute(entered, gate)
      Thread.handle_interrupt(Raffia::Cancel => :never) { (entered << true) && gate.pop }
    end

    def pid = ::Process.pid
  end

  # It takes the five seconds that one who was killed has.
  def test_one_that_cannot_be_ended_is_left_to_itself_and_there_is_another_in_its_place
    tree = tree(strategy: :one_for_all) do |s|
      s.child(Witness, :a, @journal, name: :a)
      s.child(Deaf, name: :deaf, on: :threads, shutdown: :brutal_kill)
    end
    entered, gate = Thread::Queue.new, Thread::Queue.new
    lost = (deaf = Raffia::Actor[:deaf]).future.compute(entered, gate)
    entered.pop
    assert_raises(RuntimeError) { Raffia::Actor[:a].boom }

    assert_equal(1, Raffia::Actor[:a].future.count.value(PATIENCE))
    settled(tree)
    other = Raffia::Actor[:deaf]

    assert_equal([::Process.pid, :dead, false], [other.pid, deaf.status, other == deaf])
    assert_includes(@log.string, "did not end when it was killed: it is left to itself")
    gate << :late
    assert_raises(Raffia::ActorDied) { lost.value(PATIENCE) }
    assert_equal([::Process.pid, 2], [other.pid, tree.children.size])
  end

  def test_infinity_waits_for_what_is_to_be_done
    tree = tree { |s| s.child(Witness, :a, @journal, name: :a, shutdown: :infinity, on: :threads) }
    entered, gate = Thread::Queue.new, Thread::Queue.new
    held, count = Raffia::Actor[:a].future.hold(entered, gate), Raffia::Actor[:a].future.count
    entered.pop
    tree.stop

    assert_nil(tree.join(0.05))
    gate << :done

    assert(tree.join(PATIENCE))
    assert_equal([:done, 1], [held.value, count.value])
  end

  def test_children_come_and_go
    tree = witnesses(:a)
    one = tree.start_child(Witness, :one, @journal)
    two = tree.start_child(Witness, :two, @journal, id: "two", restart: :temporary)

    assert_equal([Raffia::Actor[:a], one, two], tree.children)
    assert_equal(two, tree.which("two"))
    assert_equal({specs: 3, active: 3, supervisors: 0, workers: 3}, tree.count_children)
    tree.terminate_child(one)
    tree.terminate_child("two")
    tree.terminate_child(:a)

    assert_equal([], tree.children)
    # the temporary one is forgotten
    assert_equal({specs: 2, active: 0, supervisors: 0, workers: 0}, tree.count_children)
    again = tree.restart_child(:a)

    assert_equal(1, again.count)
    assert_equal(again, Raffia::Actor[:a])
    tree.terminate_child(:a)
    tree.delete_child(:a)

    assert_nil(tree.which(:a))
    assert_equal(1, tree.count_children[:specs])
  end

  def test_many_children_of_one_class_have_ids_of_their_own
    tree = tree(&:itself)
    refs = Array.new(3) { |number| tree.start_child(Witness, number, @journal) }

    assert_equal(refs, tree.children)
    two = tree(strategy: :one_for_one) do |s|
      2.times { |number| s.child(Witness, number, @journal) }
    end

    assert_equal(2, two.count_children[:specs])
  end

  def test_what_is_wrong_with_a_call_is_the_callers_own_concern
    tree = witnesses(:a)
    fails = Thread::Queue.new << :initialize

    assert_match(/does not start/,
      assert_raises(RuntimeError) { tree.start_child(Witness, :b, @journal, fails: fails) }.message)
    assert_match(/there is a child :a already/,
      assert_raises(Raffia::Rejected) { tree.start_child(Witness, :b, @journal, id: :a) }.message)
    assert_match(/belongs to/,
      assert_raises(Raffia::Rejected) { tree.start_child(Witness, :b, @journal, id: :b, name: :a) }
        .message)
    assert_match(/has not ended/, assert_raises(Raffia::Rejected) { tree.restart_child(:a) }
      .message)
    assert_match(/has not ended/, assert_raises(Raffia::Rejected) { tree.delete_child(:a) }.message)
    assert_match(/has no child :x: it has :a/,
      assert_raises(Raffia::NotFound) { tree.terminate_child(:x) }.message)
    assert_refused("String cannot be a child: give a class of actors, or a block") do
      tree.start_child(String)
    end
    assert_equal([1, 0], [tree.children.size, tree.stats[:restarts]])
  end

  def test_blocks_are_children
    ran = Thread::Queue.new
    gate = Thread::Queue.new
    tree = tree(intensity: 10) do |s|
      s.child(name: :poller, on: :threads) { loop { ran << gate.pop.call } }
      s.child(name: :once, restart: :transient) { ran << :once }
    end

    assert_equal(:once, ran.pop(timeout: PATIENCE))
    gate << -> { 1 }

    assert_equal(1, ran.pop(timeout: PATIENCE))
    gate << -> { raise "poll" }
    gate << -> { 2 }

    assert_equal(2, ran.pop(timeout: PATIENCE))
    assert_equal(1, Raffia::Actor[:poller].stats[:restarts])
    wait_until("the end of what runs once") { Raffia::Actor[:once].nil? }
    tree.stop

    assert(tree.join(PATIENCE))
    assert_nil(Raffia::Actor[:poller])
  end

  # Waits at each start but the first, until it may go on.
  class Late < Raffia::Actor
    def initialize(starts, gate)
      @starts = starts
      @gate = gate
    end

    def on_start
      @starts << true
      @gate.pop if @starts.size > 1
    end

    def pid = ::Process.pid
  end

  # A supervisor under another one, with a child and a late one.
  def late_tree
    starts, gate = Thread::Queue.new, Thread::Queue.new
    tree(intensity: 100) do |s|
      s.child(Raffia::Supervisor, name: :branch, intensity: 100, backoff: 0) do |branch|
        branch.child(Witness, :a, @journal, name: :a, on: :threads)
        branch.child(Late, starts, gate, name: :late, on: :threads)
      end
    end
    [Raffia::Actor[:branch], starts, gate]
  end

  def test_a_child_that_fails_while_its_supervisor_begins_again_is_restarted
    branch, starts, gate = late_tree
    a = Raffia::Actor[:a]
    branch.kill
    wait_until("the second start") { starts.size == 2 }
    assert_raises(RuntimeError) { a.boom }
    gate << true

    assert_equal(1, a.future.count.value(PATIENCE))
    assert_equal(2, a.stats[:restarts])
  end

  def test_a_supervisor_that_is_killed_while_it_restarts_a_child_loses_none
    branch, starts, gate = late_tree
    refs = [:a, :late].map { |name| Raffia::Actor[name] }
    refs.last.kill
    wait_until("the second start") { starts.size == 2 }
    branch.kill
    wait_until("the third start") { starts.size == 3 }
    2.times { gate << true }

    assert_equal(::Process.pid, refs.last.future.pid.value(PATIENCE))
    assert_equal(1, refs.first.future.count.value(PATIENCE))
    assert_equal(refs, [:a, :late].map { |name| Raffia::Actor[name] })
  end

  def test_a_pool_is_a_child
    tree = tree(intensity: 10) do |s|
      s.child(Witness, :a, @journal, name: :a, pool: 2, on: :threads)
    end
    pool = Raffia::Actor[:a]
    assert_raises(RuntimeError) { pool.boom }

    assert_equal([pool], tree.children)
    assert_equal([1, 1], pool.workers.map(&:count))
    before = pool.workers
    pool.kill
    wait_until("other workers") do
      pool.status == :running && pool.workers.size == 2 && (pool.workers & before).empty?
    end

    assert_equal(1, pool.count)
    tree.stop

    assert(tree.join(PATIENCE))
    assert_equal(:dead, pool.status)
  end

  def test_a_child_that_calls_its_supervisor_at_its_start_gets_a_call_cycle
    asks = Class.new(Raffia::Actor) do
      def initialize(tree, question) = (@tree, @question = tree, question)

      attr_reader :seen

      def on_start = @seen = @tree.call(*@question)
    end
    tree = witnesses(:a)

    assert_equal(Raffia::Actor[:a], tree.start_child(asks, tree, [:which, :a]).seen)
    assert_raises(Raffia::CallCycle) { tree.start_child(asks, tree, [:terminate_child, :a]) }
    assert_equal(2, tree.children.size)
  end

  def test_the_end_of_children_that_matter_is_the_supervisors
    {any_significant: 1, all_significant: 2}.each do |auto_shutdown, ends|
      tree = tree(auto_shutdown: auto_shutdown) do |s|
        s.child(Witness, :a, @journal, id: :a, restart: :transient, significant: true)
        s.child(Witness, :b, @journal, id: :b, restart: :transient, significant: true)
        s.child(Witness, :c, @journal, id: :c)
      end
      refs = tree.children
      refs.first(ends - 1).each(&:leave)
      wait_until("the ends of the first") { tree.children.size == 4 - ends }
      refs[ends - 1].leave

      assert(tree.join(PATIENCE), auto_shutdown)
      assert_equal(:shutdown, tree.reason)
      assert_equal(:dead, refs.last.status)
    end
  end

  def test_the_children_of_one_that_is_killed_end_too
    tree = witnesses(:a, :b)
    refs = tree.children
    tree.kill

    assert(tree.join(PATIENCE))
    assert_equal(%i[dead dead], refs.map(&:status))
  end

  def test_all_ends_with_the_loop_that_it_lives_in
    need_cruby("Raffia.run")

    refs = Raffia.run do
      tree = Raffia::Supervisor.spawn(backoff: 0) do |s|
        s.child(Witness, :a, @journal, name: :a)
        s.child(Witness, :b, @journal, name: :b, on: :threads)
      end
      assert_raises(RuntimeError) { Raffia::Actor[:b].boom }
      Raffia::Actor[:b].count
      [tree, *tree.children]
    end

    assert_equal([:dead] * 3, refs.map(&:status))
    assert_equal([[:stop, :b, :shutdown], [:stop, :a, :shutdown]], said.last(2))
  end

  def test_settings_that_mean_nothing_are_refused
    assert_refused(/strategy: :all means nothing here/) { tree(strategy: :all) }
    assert_refused(/intensity: -1 means nothing here/) { tree(intensity: -1) }
    assert_refused(/a supervisor has no option max/) { tree(max: 1) }
    assert_refused(
      /a supervisor is on :#{EXECUTORS.first}: it is its children that can be on :processes/
    ) { tree(on: :processes) }
    assert_refused(/restart: :always means nothing here/) do
      tree { |s| s.child(Witness, restart: :always) }
    end
    assert_refused(/pool: is for a class of actors/) { tree { |s| s.child(pool: 2) { 1 } } }
    assert_refused("a child is a class of actors, or a block") { tree(&:child) }
    assert_refused(/there are two children :a/) do
      tree { |s| 2.times { s.child(Witness, :a, @journal, id: :a) } }
    end
    assert_raises(ArgumentError) { Raffia::Supervisor.spawn(1) }
  end
end
