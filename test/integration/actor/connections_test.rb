# frozen_string_literal: true

require_relative "../../test_helper"
require "logger"
require "socket"
require "raffia/actor"

# Frames between two sides, and the memory that they leave.
class ActorConnectionsTest < Raffia::TestCase
  Remote = Raffia::Actor::Remote

  # Loading it fails.
  class Spiteful
    def marshal_dump = []

    def marshal_load(_) = raise("not here")
  end

  class Far < Raffia::Actor
    def echo(value) = value
    def spite = Spiteful.new
    def hear = subscribe("news.*") { nil } && nil
    def deafen(pattern) = unsubscribe(pattern)

    def stranger
      Object.const_set(:ActorLinesStranger, Class.new(Raffia::Actor) { def hello = :hello }).spawn
    end

    def kept = @raffia_core.instance_variable_get(:@blocks).size
    def wait_for(other, times) = Array.new(times) { Thread.new { other.join } }.each(&:join).size
    def join_shortly(other) = other.join(0.01)
  end

  class Near < Raffia::Actor
    def echo(value) = value
  end

  def setup
    need_fork
    @log = Raffia::Actor.log
    Raffia::Actor.log = Logger.new(File::NULL)
  end

  def teardown
    Raffia::Actor.shutdown
    Raffia::Actor.log = @log if @log
    super
  end

  def far = Far.spawn(on: :processes)

  def connection_of(ref) = ref.raffia_core.execution.object.instance_variable_get(:@connection)

  def test_what_cannot_be_loaded_is_its_callers_alone
    ref = far

    assert_match(/not here/, assert_raises(Raffia::NotDumpable) { ref.echo(Spiteful.new) }.message)
    assert_match(/not here/, assert_raises(Raffia::NotDumpable) { ref.spite }.message)
    assert_equal 1, ref.echo(1)
  end

  # Conversions that Ruby asks any object for are no calls of a remote actor.
  def test_refs_of_classes_that_are_not_known_here
    stranger = (ref = far).stranger

    assert_equal :hello, stranger.hello
    assert_equal [stranger], [stranger].flatten
    assert_equal stranger, ref.echo(stranger)
  end

  def test_blocks_end_with_their_subscriptions
    ref = far
    2.times { ref.hear }
    assert_equal 2, ref.kept
    ref.deafen("other.*")
    assert_equal 2, ref.kept
    ref.deafen("news.*")
    assert_equal 0, ref.kept
    ref.hear
    ref.deafen(nil)
    assert_equal 0, ref.kept
  end

  def test_a_remote_join_keeps_no_thread_here
    ref, other = far, Near.spawn
    before = Thread.list.size
    waiting = ref.future.wait_for(other, 20)
    wait_until { other.raffia_core.links.joiners == 20 }

    assert_operator Thread.list.size - before, :<, 20
    other.kill
    assert_equal 20, waiting.value(PATIENCE)
    assert_nil ref.join_shortly(Near.spawn)
    assert_equal other, ref.join_shortly(other)
  end

  def test_refs_that_were_handed_over_are_not_kept
    ref = far
    1_000.times { Near.spawn.tap { |near| ref.echo(near) }.tap(&:kill).join }
    ref.echo(1)
    received = connection_of(ref).names

    wait_until do
      # what a stack still has by chance, or a thread that has not gone on yet, is gone at another
      # time
      GC.start
      received.size < 900
    end
  end

  def test_an_interrupt_of_the_users_own_is_his
    reader, writer = IO.pipe
    frames = Raffia::Process::FramedPipe
    transport = Raffia::Executor::PipeTransport.new(frames::Reader.new(IO.pipe.first),
      frames::Writer.new(writer))
    connection = Remote::Connection.new(transport, Remote::RequestDispatcher.new)
    writing = Thread.new { connection.tell(:lookup, "x" * 200_000) }
    writing.report_on_exception = false
    wait_until { writing.stop? }
    writing.raise(IOError, "mine")
    draining = Thread.new { IO.copy_stream(reader, File::NULL) }

    assert_equal "mine", assert_raises(IOError) { writing.value }.message
  ensure
    draining&.kill&.join
    [reader, writer].each(&:close)
  end

  def test_the_end_of_a_connection_is_reported_once
    ours, theirs = UNIXSocket.pair
    connection = Remote::Connection.over(ours, Remote::RequestDispatcher.new)
    received = Thread::Queue.new
    watching = Thread.new do
      Remote::Proxy.new([:"elsewhere/1", "somebody", nil, nil], connection)
        .watch { |_, reason| received << reason }
    end
    theirs.readpartial(1) # the question is there, and is not answered
    theirs.close
    connection.serve
    watching.join

    assert_equal [Raffia::Closed], Array.new(received.size) { received.pop.class }
    near = Near.spawn
    connection.monitors.serve(near, 1) # asked before the end, and served after it
    assert_equal 0, near.raffia_core.links.observers
  ensure
    connection&.close
  end

  def test_what_cannot_be_said_is_not_waited_for
    ref = far
    3.times { assert_raises(Raffia::NotDumpable) { ref.echo(proc {}) } }

    refute_predicate connection_of(ref), :busy?
  end
end
