# frozen_string_literal: true

require "test_helper"
require "raffia/actor"

# Contract of pools of actors on each executor.
module ActorPoolContract
  LONG = 30

  class Clerk < Raffia::Actor
    attr_reader :seen

    def initialize(first = 0, broken: nil, gate: nil)
      raise KeyError, "no such counter" if broken && File.exist?(broken)

      await(gate) if gate

      @sum = first
      @seen = []
    end

    def who(*) = ref.id

    def add(number) = @sum += number

    def note(key, number) = @seen << [key, number]

    def received(name:) = name

    def await(path) = (sleep(0.001) until File.exist?(path)) || ref.id

    def fail_with(text) = raise(ArgumentError, text)

    def block_given_to(item) = yield(item)
  end

  def pool(**options)
    @pools ||= []
    Clerk.pool(on: place, size: 3, **options).tap { |made| @pools << made }
  end

  def teardown
    @pools&.each(&:kill)
    @pools&.each { |one| assert(one.join(LONG), "#{one.inspect} does not end") }
    super
  end

  def with_gate = Dir.mktmpdir { |folder| yield File.join(folder, "gate").freeze }

  def test_a_pool_answers_like_one_actor
    clerks = pool(size: 1)
    assert_equal([5, 9], [clerks.add(5), clerks.call(:add, 4)])
    assert_nil(clerks.async.add(1))
    assert_equal([12, "Ann"], [clerks.future.add(2).value(LONG), clerks.received(name: "Ann")])
    assert_equal([:running, true, Clerk, 1],
      [clerks.status, clerks.alive?, clerks.actor_class, clerks.size])
    assert_respond_to(clerks, :add)
    refute_respond_to(clerks, :on_stop)
  end

  def test_what_cannot_be_asked_is_the_callers_error
    clerks = pool
    assert_raises(NoMethodError) { clerks.nothing }
    assert_raises(ArgumentError) { clerks.async.add }
    assert_raises(NoMethodError) { clerks.broadcast(:nothing) }
    assert_equal([0, 3], clerks.stats.values_at(:restarts, :size))
  end

  def test_arguments_reach_each_worker
    clerks = Clerk.pool(10, on: place, size: 2)
    (@pools ||= []) << clerks
    assert_equal([11, 11], clerks.workers.map { |worker| worker.add(1) })
  end

  def test_the_least_busy_worker_is_called
    clerks = pool
    with_gate do |gate|
      busy = clerks.future.await(gate)
      wait_until { clerks.stats[:busy] == 1 }
      idle = Array.new(12) { clerks.who }.uniq
      assert_equal(2, idle.size)
      File.write(gate, "")
      refute_includes(idle, busy.value(LONG))
    end
  end

  def test_what_waits_counts
    clerks = pool(size: 2)
    with_gate do |gate|
      futures = Array.new(2) { clerks.future.await(gate) }
      wait_until { clerks.stats[:handled] == 2 }
      futures.concat(Array.new(4) { clerks.future.await(gate) })
      assert_equal([3, 3], clerks.workers.map { |worker| worker.raffia_core.backlog })
      File.write(gate, "")
      assert_equal([3, 3], futures.map { |future| future.value(LONG) }.tally.values)
    end
  end

  def test_one_after_the_other
    clerks = pool(route: :round_robin)
    assert_equal([2, 2, 2], Array.new(6) { clerks.who }.tally.values)
  end

  def test_the_same_key_goes_to_the_same_worker_in_its_order
    clerks = pool(key: :first_argument)
    keys = %w[a b c d e f g]
    keys.product((0...20).to_a).shuffle(random: Random.new(7)).sort_by(&:last)
      .each { |key, number| clerks.async.note(key, number) }
    seen = clerks.workers.flat_map do |worker|
      worker.seen.group_by(&:first).transform_values { |all| all.map(&:last) }.to_a
    end
    assert_equal(keys.to_h { |key| [key, (0...20).to_a] }, seen.to_h)
    assert_equal(keys.size, seen.size)
  end

  def test_a_key_may_be_made_of_all_arguments
    clerks = pool(route: ->(name, *arguments) { arguments[1] if name == :note })
    12.times { |number| clerks.note(number, :same) }
    assert_equal([0, 0, 12], clerks.workers.map { |worker| worker.seen.size }.sort)
    assert_equal(3, Array.new(9) { clerks.who }.uniq.size, "without a key anyone may do it")
  end

  def test_an_error_reaches_its_caller_and_the_worker_is_replaced_under_the_same_ref
    clerks = pool
    before = clerks.workers
    assert_equal("first", assert_raises(ArgumentError) { clerks.fail_with("first") }.message)
    assert_equal("second",
      assert_raises(ArgumentError) { clerks.future.fail_with("second").value(LONG) }.message)
    assert_equal(before, clerks.workers)
    wait_until do
      clerks.stats[:restarts] == 2 && clerks.workers.all? { |worker| worker.status == :running }
    end
    assert_equal([1, 1, 1], clerks.workers.map { |worker| worker.add(1) })
  end

  def test_what_waits_for_a_worker_that_fails_is_done_by_its_successor
    clerks = pool(size: 1)
    with_gate do |gate|
      clerks.add(7)
      gated = clerks.future.await(gate)
      failing = clerks.future.fail_with("lost")
      waiting = Array.new(5) { clerks.future.add(1) }
      File.write(gate, "")
      gated.value(LONG)
      assert_raises(ArgumentError) { failing.value(LONG) }
      assert_equal([1, 2, 3, 4, 5], waiting.map { |future| future.value(LONG) })
    end
  end

  def test_a_worker_that_is_killed_is_replaced
    clerks = pool(size: 2)
    clerks.workers.each(&:kill)
    wait_until do
      clerks.workers.all? { |worker| worker.status == :running } && clerks.stats[:restarts] == 2
    end
    assert_equal(2, Array.new(4) { clerks.who }.uniq.size)
  end

  def test_a_worker_that_stops_is_replaced
    clerks = pool(size: 2)
    clerks.workers.each(&:stop)
    wait_until do
      clerks.stats[:restarts] == 2 && clerks.workers.all? { |worker| worker.status == :running }
    end
    assert_equal(2, Array.new(4) { clerks.who }.uniq.size)
  end

  def test_one_that_cannot_begin_is_tried_again
    Dir.mktmpdir do |folder|
      broken = File.join(folder, "broken").freeze
      clerks = pool(size: 1, broken: broken)
      File.write(broken, "")
      assert_raises(ArgumentError) { clerks.fail_with("out") }
      waiting = clerks.future.add(3)
      wait_until { clerks.stats[:restarts] > 1 }
      File.unlink(broken)
      assert_equal(3, waiting.value(LONG))
      assert_equal(:running, clerks.status)
    end
  end

  def test_there_is_no_pool_where_a_worker_cannot_begin
    Dir.mktmpdir do |folder|
      File.write(broken = File.join(folder, "broken").freeze, "")
      assert_raises(KeyError) { Clerk.pool(on: place, size: 2, broken: broken, name: :no_clerks) }
      assert_nil(Raffia::Actor[:no_clerks])
    end
  end

  def test_broadcast_reaches_all_workers
    clerks = pool
    assert_same(clerks, clerks.broadcast(:add, 4))
    assert_equal([4, 4, 4], clerks.workers.map { |worker| worker.add(0) })
  end

  def test_more_and_fewer
    clerks = pool(size: 2)
    assert_same(clerks, clerks.resize(4))
    assert_equal(4, Array.new(8) { clerks.who }.uniq.size)
    clerks.resize(1)
    assert_equal([1, 1], [clerks.size, Array.new(8) { clerks.who }.uniq.size])
    assert_raises(Raffia::ConfigError) { clerks.resize(0) }
  end

  def test_workers_that_leave_finish_their_messages
    clerks = pool(size: 3)
    with_gate do |gate|
      futures = Array.new(9) { clerks.future.await(gate) }
      smaller = Thread.new { clerks.resize(1) }
      wait_until { clerks.size == 1 }
      File.write(gate, "")
      assert_equal(3, futures.map { |future| future.value(LONG) }.uniq.size)
      assert_same(clerks, smaller.value)
    end
  end

  def test_nothing_is_lost_while_its_size_changes
    clerks = pool(size: 2)
    sender = Thread.new { Array.new(400) { clerks.future.who } }
    [4, 1, 3, 2, 5, 1].each { |size| clerks.resize(size) }
    assert_equal(400, sender.value.count { |future| future.value(LONG) })
  end

  def test_full_mailboxes_reject
    clerks = pool(size: 2, mailbox: 1, when_full: :reject)
    with_gate do |gate|
      2.times { clerks.async.await(gate) }
      wait_until { clerks.stats[:handled] == 2 }
      2.times { clerks.async.add(1) }
      assert_raises(Raffia::Full) { clerks.async.add(1) }
      File.write(gate, "")
    end
  end

  def test_stop_lets_them_finish
    clerks = pool(size: 2)
    with_gate do |gate|
      futures = Array.new(4) { clerks.future.await(gate) }
      assert(clerks.stop)
      error = assert_raises(Raffia::ActorDied) { clerks.who }
      assert_equal([clerks, false], [error.ref, error.accepted?])
      File.write(gate, "")
      assert_equal(2, futures.map { |future| future.value(LONG) }.uniq.size)
      assert(clerks.join(LONG))
      assert_equal([:dead, :normal, 0], [clerks.status, clerks.reason, clerks.size])
    end
  end

  def test_kill_ends_them_all
    clerks = pool(size: 2)
    workers = clerks.workers
    with_gate do |gate|
      futures = Array.new(4) { clerks.future.await(gate) }
      wait_until { clerks.stats[:handled] == 2 }
      clerks.kill(:enough)
      assert(clerks.join(LONG))
      futures.each { |future| assert_raises(Raffia::ActorDied) { future.value(LONG) } }
      assert_equal([:dead, :dead], workers.map(&:status))
    end
  end

  def test_kill_ends_those_that_were_to_finish
    clerks = pool(size: 2)
    with_gate do |gate|
      future = clerks.future.await(gate)
      wait_until { clerks.stats[:handled] == 1 }
      clerks.stop
      wait_until { clerks.size.zero? }
      assert(clerks.kill(:enough))
      assert_raises(Raffia::ActorDied) { future.value(LONG) }
      assert(clerks.join(LONG))
    end
  end

  def test_what_comes_while_it_begins_again_waits
    with_gate do |gate|
      File.write(gate, "")
      place = self.place
      tree = Raffia::Supervisor.spawn do |children|
        children.child(Clerk, on: place, gate: gate, pool: 2, name: :busy_clerks)
      end
      (@pools ||= []) << tree
      clerks = Raffia::Actor[:busy_clerks]
      File.unlink(gate)
      clerks.kill
      wait_until { clerks.status == :restarting && clerks.size.zero? }
      clerks.async.add(1)
      futures = Array.new(4) { clerks.future.who }
      failing = clerks.future.fail_with("as ever")
      caller = Thread.new { clerks.who }
      wait_until { clerks.stats[:mailbox] == 7 }
      assert_raises(NoMethodError) { clerks.nothing }
      File.write(gate, "")
      assert_equal("as ever", assert_raises(ArgumentError) { failing.value(LONG) }.message)
      assert_empty([caller.value, *futures.map { |future| future.value(LONG) }] -
        clerks.workers.map(&:who))
    end
  end

  def test_a_pool_has_a_name
    clerks = pool(name: :clerks)
    assert_equal(clerks, Raffia::Actor[:clerks])
    assert_raises(Raffia::Rejected) { Clerk.pool(on: place, size: 1, name: :clerks) }
    clerks.workers.first.kill
    assert_equal(clerks, Raffia::Actor[:clerks])
    clerks.stop
    clerks.join(LONG)
    assert_nil(Raffia::Actor[:clerks])
  end

  def test_settings_are_checked
    [{size: 0}, {size: 2, route: :random}, {size: 2, key: 3}].each do |given|
      assert_raises(Raffia::ConfigError) { pool(**given) }
    end
    assert_raises(Raffia::ConfigError) { pool(route: :least_busy, key: :first_argument) }
  end
end
