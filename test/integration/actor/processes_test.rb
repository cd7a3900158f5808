# frozen_string_literal: true

require_relative "../../contract/actor/actor_contract"
require_relative "../../contract/actor/remote_contract"

ActorCase.run(:processes, ActorContract) if Process.respond_to?(:fork)

# Actors whose objects live in forked children.
class ActorProcessesTest < Raffia::TestCase
  include ActorRemoteContract

  def setup
    need_fork
    super
  end

  def place = :processes

  def test_the_object_lives_in_a_child
    ref = spawn(1)

    refute_equal ::Process.pid, ref.pid
    assert_equal [3, 6], [ref.add(2), ref.add(3)]
    assert_equal ref.pid, ref.pid
  end

  def test_refs_that_were_inherited
    other = here
    ref = spawn(others: [other, other])

    assert_equal 101 + 102, ref.add_to_inherited(1)
  end

  def test_a_child_that_dies_is_noticed_while_it_is_idle
    ref = spawn
    ::Process.kill(:KILL, pid = ref.pid)

    assert ref.join(PATIENCE)
    assert_equal [Raffia::WorkerDied, pid, "SIGKILL"],
      [ref.reason.class, ref.reason.pid, ref.reason.signal]
    assert_raises(Raffia::ActorDied) { ref.sum }
  end

  class Watcher < Raffia::Actor
    def look(ref, received) = monitor(ref) { |_, reason| received << reason }.then { nil }
  end

  # A late monitor gets the same as one in time.
  def test_a_monitor_of_a_dead_child_is_called_at_once
    ref = spawn
    ::Process.kill(:KILL, pid = ref.pid)
    assert ref.join(PATIENCE)
    received = Thread::Queue.new
    watcher = Watcher.spawn(on: :threads)
    watcher.look(ref, received)
    reason = received.pop(timeout: PATIENCE)
    assert_equal [Raffia::WorkerDied, pid], [reason.class, reason.pid]
    watcher.look(ref, received)
    assert_same reason, received.pop(timeout: PATIENCE)
  ensure
    watcher&.stop
  end

  def test_a_child_that_dies_in_the_middle_of_a_call
    ref = spawn
    error = assert_raises(Raffia::ActorDied) { ref.leave }

    assert_equal [Raffia::WorkerDied, 7], [error.cause.class, error.cause.status]
    assert_match(/RemoteLedger#\d+#leave/, error.message)
    assert_same error.reason, ref.reason
  end

  # Closing a pipe interrupts the thread that has just written to it.
  def test_callers_of_children_that_die_hear_of_nothing_else
    refs = Array.new(24) { spawn }
    errors = refs.map { |ref|
      Thread.new {
        begin
          ref.leave
        rescue
          $!.class
        end
      }
    }
      .map(&:value) # standard:disable Style/RescueModifier
    assert_equal [Raffia::ActorDied], errors.uniq
  end

  def test_children_that_are_killed_at_any_moment
    5.times do |round|
      ref = spawn
      pid = ref.pid
      futures = Array.new(50) { ref.future.add(1) }
      futures[round * 10].wait
      ::Process.kill(:KILL, pid)
      ends = futures.map { |future| future.wait(PATIENCE)&.status }

      assert_empty ends - %i[done failed]
      assert_equal ends.sort, ends # all that were answered came before all that were not
      assert ref.join(PATIENCE)
    end
  end

  def test_children_that_are_killed_under_a_supervisor
    tree = Class.new(Raffia::Supervisor) { strategy :one_for_one, intensity: 1_000, period: 1 }
      .spawn
    @spawned << tree
    ref = tree.start_child(RemoteLedger, 0, others: [other = here], on: :processes)
    over = false
    callers = Array.new(3) { Thread.new { outcomes_of(ref) { over } } }
    8.times do
      pid = begin
        ref.pid
      rescue Raffia::ActorDied
        retry
      end
      ::Process.kill(:KILL, pid)
    end
    over = true
    outcomes = callers.flat_map(&:value)

    assert_empty outcomes - [Integer, Raffia::ActorDied]
    assert_equal 1, ref.echo(1)
    assert_operator other.sum, :>=, 100
  ensure
    over = true
  end

  def test_kill_ends_what_does_not_even_read
    ref = spawn
    ::Process.kill(:STOP, pid = ref.pid)
    future = ref.future.echo(Array.new(200_000) { |number| number })
    wait_until { ref.stats[:handled] == 2 }
    sleep(0.05) # it may be writing by now

    assert ref.kill(:enough)
    assert_raises(Raffia::ActorDied) { future.value(PATIENCE) }
    assert ref.join(PATIENCE)
    assert_raises(Errno::ESRCH) { ::Process.kill(0, pid) }
  end

  def test_kill_ends_what_computes
    ref = spawn
    pid = ref.pid
    future = ref.future.spin(600)
    wait_until { ref.stats[:handled] == 2 }

    assert ref.kill(:enough)
    assert_raises(Raffia::ActorDied) { future.value(PATIENCE) }
    assert ref.join(PATIENCE)
    assert_raises(Errno::ESRCH) { ::Process.kill(0, pid) }
  end

  def test_a_child_has_children
    pid, sum = (ref = spawn).child

    refute_includes [::Process.pid, ref.pid], pid
    assert_equal 3, sum
    assert_equal 103, ref.cascade(here)
    assert_equal [105, 109], spawn(others: [here]).cascade_inherited(5)
  end

  def test_a_fork_of_the_parent_has_none_of_it
    ref = spawn
    pid = ref.pid
    child = ::Process.fork { exit!(ref.alive? ? 1 : 0) }

    assert_equal 0, ::Process.wait2(child).last.exitstatus
    assert_equal pid, ref.pid
  end

  def test_a_ref_goes_nowhere_else
    assert_raises(Raffia::NotDumpable) { Marshal.dump(spawn) }
  end

  def test_what_children_print_and_that_they_end_with_their_parent
    out = output_of(<<~RUBY)
      require "raffia/actor"
      class Child < Raffia::Actor
        def hello = $stdout.puts("hello")
        def pid = Process.pid
      end
      ref = Child.spawn(on: :processes)
      ref.hello
      $stdout.puts ref.pid
      $stdout.flush
      Process.kill(:KILL, Process.pid)
    RUBY
    hello, pid = out.lines(chomp: true)

    assert_equal "hello", hello
    wait_until { gone?(pid.to_i) }
  end

  private

  def outcomes_of(ref)
    outcomes = []
    until yield
      outcomes << begin
        ref.add_to_inherited(1).class
      rescue => error
        error.class
      end
    end
    outcomes.uniq
  end

  # A container's init may leave it a zombie for a while.
  def gone?(pid)
    ::Process.kill(0, pid)
    File.read("/proc/#{pid}/stat").include?(") Z ")
  rescue Errno::ESRCH, Errno::ENOENT
    true
  end
end
