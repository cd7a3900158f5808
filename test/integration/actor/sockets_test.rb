# frozen_string_literal: true

require_relative "../../test_helper"
require "logger"
require "tmpdir"
require "raffia/actor"

# Actors of other processes, asked through a Unix socket.
class ActorSocketsTest < Raffia::TestCase
  NOBODY = 65_534

  class Desk < Raffia::Actor
    options expects: [KeyError]

    def initialize(sum = 0) = @sum = sum

    def add(number) = @sum += number
    def wrong = raise(KeyError, "only yours")
    def boom = raise("boom")
    def ask(other, number) = other.add(number)
    def colleague = @colleague ||= Desk.spawn(50)
    def nap(seconds) = sleep(seconds)
    def echo(value) = value
    def end_by_itself = stop
  end

  def setup
    need_fork
    @dir = Dir.mktmpdir
    @address = "unix://#{@dir}/actors.sock"
    @pids = []
    @log = Raffia::Actor.log
    Raffia::Actor.log = Logger.new(File::NULL)
  end

  def teardown
    @pids&.each { |pid| finish(pid) }
    FileUtils.remove_entry(@dir) if @dir
    Raffia::Actor.log = @log if @log
    super
  end

  def test_calls_async_and_futures
    serve
    counter = Raffia::Actor.at(@address, :counter)

    assert_equal 2, counter.add(1)
    assert_nil counter.async.add(1)
    assert_equal Array.new(20) { |number| 4 + number },
      Array.new(20) { counter.future.add(1) }.map(&:value)
    assert_equal "x" * 500_000, counter.echo("x" * 500_000)
    assert_equal 24, Raffia.run { counter.add(1) }
    assert_predicate counter, :alive?
    assert_equal :running, counter.status
    assert_respond_to counter, :add
  end

  def test_several_calls_at_once
    serve
    slow = Raffia::Actor.at(@address, :slow)
    counter = Raffia::Actor.at(@address, :counter)
    nap = slow.future.nap(60)

    assert_equal 2, counter.add(1)
    assert_equal :pending, nap.status
  end

  def test_errors
    serve
    counter = Raffia::Actor.at(@address, :counter)

    assert_equal "only yours", assert_raises(KeyError) { counter.wrong }.message
    assert_raises(NoMethodError) { counter.no_such_thing }
    assert_raises(NoMethodError) { counter.call(:instance_variable_get, :@sum) }
    assert_raises(ArgumentError) { counter.add }
    assert_raises(Raffia::NotDumpable) { counter.echo(proc {}) }
    assert_raises(Raffia::TimeoutError) do
      Raffia.timeout(0.05) { Raffia::Actor.at(@address, :slow).nap(60) }
    end
    assert_raises(Raffia::ActorDied) { Raffia::Actor.at(@address, :nobody).add(1) }
    assert_equal 2, counter.add(1)
  end

  def test_refs_go_both_ways
    serve
    counter = Raffia::Actor.at(@address, :counter)
    mine = Desk.spawn(100)
    colleague = counter.colleague

    assert_equal 105, counter.ask(mine, 5)
    assert_equal 51, colleague.add(1)
    assert_equal 52, counter.ask(colleague, 1)
    assert_same mine, counter.echo(mine)
  ensure
    mine&.kill
  end

  def test_from_a_child_too
    serve
    counter = Raffia::Actor.at(@address, :counter)
    child = Desk.spawn(on: :processes)

    assert_equal 2, counter.add(1)
    assert_equal 3, child.ask(counter, 1)
  ensure
    child&.kill
    child&.join
  end

  def test_clients_cannot_end_actors_here
    serve
    counter = Raffia::Actor.at(@address, :counter)

    assert_raises(Raffia::Rejected) { counter.stop }
    assert_raises(Raffia::Rejected) { counter.kill }
    assert_predicate counter, :alive?
  end

  def test_monitors_get_the_end_of_an_actor
    serve
    counter = Raffia::Actor.at(@address, :counter)
    assert_raises(RuntimeError) { counter.boom }

    assert counter.join(PATIENCE)
    refute_predicate counter, :alive?
    slow = Raffia::Actor.at(@address, :slow)
    seen = Thread::Queue.new
    watcher = watcher_of(slow, seen)
    slow.end_by_itself

    assert_equal :normal, seen.pop(timeout: PATIENCE)
  ensure
    watcher&.kill
  end

  class Watcher < Raffia::Actor
    def watch(other) = @watch = monitor(other) { nil }
    def look_away(other) = demonitor(other, @watch)
    def bind(other) = link(other) && nil
  end

  def test_demonitor_leaves_nothing_behind
    serve
    slow, watcher = Raffia::Actor.at(@address, :slow), Watcher.spawn
    remote = Raffia::Actor::Remote
    connection = remote::ConnectionPool.current.connection(remote::Address.new(@address))
    watcher.watch(slow)
    assert_equal 1, connection.monitors.size
    watcher.look_away(slow)
    assert_equal 0, connection.monitors.size
  ensure
    watcher&.kill
  end

  def test_a_monitor_that_is_called_at_once_leaves_nothing_behind
    serve
    slow, watcher = Raffia::Actor.at(@address, :slow), Watcher.spawn
    watcher.watch(slow)
    slow.end_by_itself
    wait_until { watcher.raffia_core.links.monitors.zero? }
    watcher.watch(slow) # the one that has ended, as far as is known here

    wait_until { watcher.raffia_core.links.monitors.zero? }
    assert_empty slow.raffia_core.instance_variable_get(:@watches)
  ensure
    watcher&.kill
  end

  class Trapping < Watcher
    options trap_exit: true
    attr_reader :ends

    def initialize = @ends = []
    def on_exit(_ref, reason) = @ends << reason
    def let_go(other) = unlink(other)
  end

  def test_a_link_that_is_made_twice_is_one
    serve
    slow, counter = %i[slow counter].map { |name| Raffia::Actor.at(@address, name) }
    trapping = Trapping.spawn
    2.times { [slow, counter].each { |one| trapping.bind(one) } }
    trapping.let_go(counter)
    # of these the first ends first
    [counter, slow].each { |one| assert_raises(RuntimeError) { one.boom } }

    wait_until { trapping.ends.any? }
    assert_predicate slow, :join # what the line had to say before has come
    assert_equal ["boom"], trapping.ends.map(&:message)
  ensure
    trapping&.kill
  end

  def test_a_link_ends_the_actor_here
    serve
    slow, watcher = Raffia::Actor.at(@address, :slow), Watcher.spawn
    watcher.bind(slow)
    slow.async.boom

    assert watcher.join(PATIENCE)
    assert_equal "boom", watcher.reason.message
  end

  def test_a_lost_connection
    pid = serve
    counter = Raffia::Actor.at(@address, :counter)
    nap = Raffia::Actor.at(@address, :slow).future.nap(60)
    assert_equal 2, counter.add(1)
    finish(pid)

    assert_raises(Raffia::ActorDied) { nap.value(PATIENCE) }
    assert_raises(Raffia::ActorDied) { counter.add(1) }
    refute_predicate counter, :alive?
    serve
    assert_equal 2, counter.add(1) # the next one, which found a file that nobody listened at
  end

  def test_a_peer_of_another_version_leaves_nothing_behind
    serve do
      Raffia::Actor::Remote::ListenerDispatcher.__send__(:remove_const, :PROTOCOL)
      Raffia::Actor::Remote::ListenerDispatcher.const_set(:PROTOCOL, 0)
    end
    counter = Raffia::Actor.at(@address, :counter)

    assert_no_leaks do
      3.times do
        assert_match(/version 0/, assert_raises(Raffia::ActorDied) { counter.add(1) }.message)
      end
    end
  end

  def test_a_peer_that_does_not_answer_delays_no_other
    serve
    silent = UNIXServer.new("#{@dir}/silent.sock")
    first = Thread.new { Raffia::Actor.at("unix://#{@dir}/silent.sock", :counter).add(1) }
    first.report_on_exception = false
    peer = silent.accept

    assert_equal 2, Raffia::Actor.at(@address, :counter).add(1)
    assert_predicate first, :alive?
    [peer, silent].each(&:close)
    assert_raises(Raffia::ActorDied) { first.value }
  end

  def test_kills_with_calls_in_flight
    counter = Raffia::Actor.at(@address, :counter)
    3.times do
      pid = serve
      futures = Array.new(100) { counter.future.add(1) }
      futures[20].wait
      finish(pid)

      assert_empty futures.map { |future| future.wait(PATIENCE)&.status } - %i[done failed]
      refute_predicate counter, :alive? # its end is known
    end
  end

  def test_a_fork_has_connections_of_its_own
    serve
    counter = Raffia::Actor.at(@address, :counter)
    assert_equal 2, counter.add(1)
    pid = ::Process.fork { exit!(counter.add(1)) }

    assert_equal 3, ::Process.wait2(pid).last.exitstatus
    assert_equal 4, counter.add(1)
  end

  def test_the_socket_is_the_owners
    listener = Raffia::Actor.listen(@address)

    assert_equal 0o600, File.stat(path).mode & 0o777
    assert_raises(Raffia::Rejected) { Raffia::Actor.listen(@address) }
    listener.close
    refute_path_exists path
    assert_predicate listener, :closed?
    assert_refused(/unix:/) { Raffia::Actor.listen("tcp://127.0.0.1:1") }
    assert_refused(/unix:/) { Raffia::Actor.at(path, :counter) }
  end

  def test_of_several_that_find_an_old_file_one_listens
    5.times do
      UNIXServer.new(path).close # and its file stays
      gate = Thread::Queue.new
      listening = Array.new(6) do
        Thread.new {
          begin
            gate.pop || Raffia::Actor.listen(@address)
          rescue
            $!.class
          end
        }
      end # standard:disable Style/RescueModifier
      wait_until { gate.num_waiting == 6 }
      gate.close
      listeners, others = listening.map(&:value)
        .partition { |one| one.is_a?(Raffia::Actor::Listener) }

      assert_equal [1, [Raffia::Rejected] * 5], [listeners.size, others]
      Raffia::Actor::Remote::Address.new(@address).connect.close
      listeners.each(&:close)
    end
  end

  # It has the folder open that says who may make the file.
  def test_a_child_that_is_forked_meanwhile_blocks_no_listener
    address = Raffia::Actor::Remote::Address.of(@address)
    address.__send__(:alone) { @pids << ::Process.fork { sleep } }
    listening = Thread.new { Raffia::Actor.listen(@address) }

    assert listening.join(PATIENCE), "the child has the lock"
    listening.value.close
  end

  def test_a_process_of_another_user_is_turned_away
    skip "only root can be somebody else" unless ::Process.uid.zero?
    listener = Raffia::Actor.listen(@address)
    [@dir, path].each { |each| File.chmod(0o777, each) } # as if somebody had been careless
    reader, writer = IO.pipe
    pid = ::Process.fork do
      ::Process::UID.change_privilege(NOBODY)
      socket = UNIXSocket.new(path)
      writer << (socket.read.empty? ? "turned away" : "served")
    rescue Errno::ECONNRESET, Errno::EPIPE
      writer << "turned away"
    ensure
      writer.flush
      exit!(0)
    end
    writer.close

    assert_equal "turned away", reader.read
    ::Process.wait(pid)
  ensure
    listener&.close
  end

  private

  def path = @address.delete_prefix("unix://")

  # @return [Integer] the pid of a process that listens
  def serve
    reader, writer = IO.pipe
    pid = ::Process.fork do
      Raffia::Actor.log = Logger.new(File::NULL)
      yield if block_given?
      Desk.spawn(1, name: :counter)
      Desk.spawn(name: :slow, on: :threads)
      Raffia::Actor.listen(@address)
      writer << "!"
      writer.close
      sleep
    ensure
      exit!(1)
    end
    writer.close
    assert_equal "!", reader.read(1)
    reader.close
    @pids << pid
    pid
  end

  def finish(pid)
    return unless @pids.delete(pid)

    ::Process.kill(:KILL, pid)
    ::Process.wait(pid)
  end

  def watcher_of(ref, seen)
    Class.new(Raffia::Actor) {
      define_method(:watch) { |other| monitor(other) { |_, reason| seen << reason } && nil }
    }
      .spawn.tap { |watcher| watcher.watch(ref) }
  end
end
