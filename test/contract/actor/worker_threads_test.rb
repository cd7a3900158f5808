# frozen_string_literal: true

require "test_helper"
require "logger"
require "stringio"
require "raffia/actor"

# The threads that actors on threads share: who gets one, who waits, and what becomes of one that is
# killed.
class ActorWorkerThreadsTest < Raffia::TestCase
  Workers = Raffia::Actor::Executors::WorkerThreads

  def workers(**)
    @workers ||= []
    @workers << Workers.new(**)
    @workers.last
  end

  def setup
    @log = Raffia::Actor.log
    Raffia::Actor.log = Logger.new(StringIO.new)
  end

  def teardown
    @workers&.each(&:close)
    Raffia::Actor.shutdown
    Raffia::Actor.log = @log
  end

  def hear(queue, count = 1)
    Array.new(count) do
      queue.pop(timeout: PATIENCE).tap { |one| flunk("nothing came") if one.nil? }
    end
  end

  def test_orders_that_wait_for_each_other_have_a_thread_each
    met, gate = Thread::Queue.new, Thread::Queue.new
    crew = workers
    5.times do
      crew.submit do
        met << Thread.current
        gate.pop
      end
    end

    assert_equal(5, hear(met, 5).uniq.size)
    5.times { gate << true }
  end

  def test_orders_wait_when_all_threads_are_at_work_and_go_before_what_would_follow
    met, gate = Thread::Queue.new, Thread::Queue.new
    crew = workers(most: 1)
    crew.submit do
      met << gate.pop
      met << Raffia::Actor::Executors::WorkerThread.current.follow(-> { met << :followed })
    end
    crew.submit { met << :waited }

    assert_predicate(crew, :behind?)
    gate << :first

    assert_equal([:first, false, :waited], hear(met, 3))
  end

  def test_what_those_at_work_may_wait_for_goes_ahead
    met, gate = Thread::Queue.new, Thread::Queue.new
    crew = workers(most: 1)
    crew.submit { gate.pop }
    2.times { |number| crew.submit { met << number } }
    2.times { |number| crew.submit(ahead: true) { met << [number] } }
    gate << true

    assert_equal([[0], [1], 0, 1], hear(met, 4))
  end

  class Much < Raffia::Actor
    options mailbox: nil
    def hold(gate) = gate.pop
    def one = 1
  end

  class Asking < Raffia::Actor
    def ask(other) = other.one
  end

  # The one that is asked lets others go first after some messages, and the thread that it had is
  # the only one that does not wait for it.
  def test_more_that_wait_for_one_than_there_are_threads
    much, gate = Much.spawn(on: :threads), Thread::Queue.new
    much.async.hold(gate)
    wait_until { gate.num_waiting == 1 }
    asking = Array.new(Workers::MOST + 200) { Asking.spawn(on: :threads) }
    answers = asking.map { |one| one.future.ask(much) }
    wait_until { much.stats[:mailbox] == Workers::MOST - 1 }
    gate << true

    assert_equal([1], answers.map { |answer| answer.value(PATIENCE) }.uniq)
  end

  def test_what_follows_is_done_by_the_same_thread
    met = Thread::Queue.new
    crew = workers(most: 1)
    crew.submit do
      here = Thread.current
      met <<
        Raffia::Actor::Executors::WorkerThread.current
          .follow(-> { met << (Thread.current == here) })
    end

    assert_equal([true, true], hear(met, 2))
  end

  def test_only_some_stay_without_work
    gates = Array.new(3) { Thread::Queue.new }
    met = Thread::Queue.new
    crew = workers(ready: 1)
    gates.each do |gate|
      crew.submit do
        met << Thread.current
        gate.pop
      end
    end
    hear(met, 3)
    gates.each { |gate| gate << true }

    wait_until { crew.threads == 1 }
    crew.submit { met << :again }

    assert_equal([:again], hear(met))
  end

  def test_after_the_end_nothing_is_taken_and_what_was_is_done
    met, gate = Thread::Queue.new, Thread::Queue.new
    crew = workers(most: 1)
    crew.submit { met << gate.pop }
    crew.submit { met << :waited }
    crew.close
    assert_raises(Raffia::Closed) { crew.submit { met << :late } }
    gate << :first

    assert_equal([:first, :waited], hear(met, 2))
    wait_until { crew.threads.zero? }
  end

  def test_a_thread_that_is_killed_is_replaced
    met, gate = Thread::Queue.new, Thread::Queue.new
    crew = workers(most: 1)
    crew.submit do
      met << Thread.current
      gate.pop
    end
    thread = hear(met).first
    crew.submit { met << :waited }
    thread.kill
    thread.join(PATIENCE)
    crew.submit { met << :next }

    assert_equal([:waited, :next], hear(met, 2))
  end

  def test_a_thread_that_is_killed_while_it_waits_is_replaced
    met = Thread::Queue.new
    crew = workers
    crew.submit { met << Thread.current }
    thread = hear(met).first
    wait_until { thread.stop? }
    thread.kill
    thread.join(PATIENCE)
    crew.submit { met << :next }

    assert_equal([:next], hear(met))
  end

  def test_a_forked_child_has_threads_of_its_own
    need_fork
    crew = workers(most: 1)
    met = Thread::Queue.new
    crew.submit { met << :here }
    hear(met)
    reader, writer = IO.pipe
    pid = fork do
      crew.submit { writer << "there" and writer.close }
      sleep
    end
    writer.close

    assert_equal("there", reader.read)
  ensure
    Process.kill(:KILL, pid) && Process.wait(pid) if pid
    reader&.close
  end

  # --- actors

  # Sends itself what it does first.
  class Early < Raffia::Actor
    def on_start
      @born = Thread.current
      @raffia_core.ref.async.begin
    end

    def begin = @begun = Thread.current

    def threads = [@born, @begun]
  end

  class Parent < Raffia::Actor
    def child_threads = [Thread.current, *Early.spawn(on: :threads).threads]
  end

  class Mortal < Raffia::Actor
    def initialize(how = nil) = how && die(how)

    def die(how) = (how == :thread) ? Thread.exit : Fiber.current.kill

    def well? = true
  end

  def test_the_thread_that_makes_an_object_handles_its_messages
    assert_equal(1, Early.spawn(on: :threads).threads.uniq.size)
  end

  # A message for the child is not kept until the parent has finished its own: the parent waits
  # for it.
  def test_an_actor_that_is_made_by_another_works_in_another_thread
    here, born, begun = Parent.spawn(on: :threads).child_threads

    assert_equal(here, born)
    refute_equal(here, begun)
  end

  # @yieldparam how [Symbol] what an actor ends
  # @yieldparam on [Symbol] where it works
  def ends(&)
    ways = {thread: :threads}
    # Fiber#kill does nothing to the first fiber of a thread of JRuby's
    ways.update(fiber: :threads, root: :fibers) if RUBY_ENGINE == "ruby"
    ways.each(&)
  end

  def test_an_actor_whose_thread_or_fiber_is_killed_ends_and_its_caller_hears_of_it
    ends do |how, on|
      mortal = Mortal.spawn(on: on)
      error = assert_raises(Raffia::ActorDied) { Raffia.timeout(PATIENCE) { mortal.die(how) } }

      assert_equal(:killed, error.reason)
      assert_same(mortal, mortal.join(PATIENCE))
      assert_raises(Raffia::WorkerDied) { Raffia.timeout(PATIENCE) { Mortal.spawn(how, on: on) } }
    end
  end

  class Leaving < Mortal
    reentrant :die

    def initialize(how) = @how = how

    def well? = die(@how)

    def visit(other) = other.back(ref, @how)

    def on_stop(_reason) = die(@how)
  end

  class Caller < Raffia::Actor
    def back(other, how) = other.die(how)
  end

  def test_one_that_ends_its_thread_or_fiber_when_it_stops_has_ended
    ends do |how, on|
      leaving = Leaving.spawn(how, on: on)
      leaving.stop

      assert_same(leaving, leaving.join(PATIENCE))
      error = assert_raises(Raffia::ActorDied) do
        Raffia.timeout(PATIENCE) { Leaving.spawn(how, on: on).well? }
      end
      assert_equal(:killed, error.reason)
    end
  end

  def test_a_method_that_runs_while_its_actor_waits_may_end_its_thread_or_fiber
    ends do |how, on|
      leaving, caller = Leaving.spawn(how, on: on), Caller.spawn(on: on)
      error = assert_raises(Raffia::ActorDied) do
        Raffia.timeout(PATIENCE) { leaving.visit(caller) }
      end

      assert_equal(:killed, error.reason)
      assert_same(leaving, leaving.join(PATIENCE))
    ensure
      caller&.kill
    end
  end

  def test_one_whose_thread_is_killed_is_restarted
    tree = Raffia::Supervisor.spawn(backoff: 0) { |s| s.child(Mortal, name: :mortal, on: :threads) }
    mortal = Raffia::Actor[:mortal]
    assert_raises(Raffia::ActorDied) { Raffia.timeout(PATIENCE) { mortal.die(:thread) } }

    assert(Raffia.timeout(PATIENCE) { mortal.well? })
    assert_equal(1, mortal.stats[:restarts])
  ensure
    tree&.kill
  end
end
