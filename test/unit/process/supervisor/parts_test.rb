# frozen_string_literal: true

require "test_helper"
require "raffia/process"
require "raffia/process/supervisor"

# The parts of which a supervisor is made.
class SupervisorPartsTest < Raffia::TestCase
  Supervisor = Raffia::Process::Supervisor

  def channels
    pair = Supervisor::MessageChannel.pair
    yield(*pair)
  ensure
    pair&.each(&:close)
  end

  def test_messages_with_and_without_descriptors
    channels do |one, other|
      assert_equal(:none, other.receive_now)
      assert(one.send(:plain, {a: 1}))
      assert(one.send(:with, nil, [$stdout, $stderr]))
      assert_equal(["plain", {"a" => 1}, []], other.receive)
      name, data, ios = other.receive_now
      assert_equal(["with", nil, 2], [name, data, ios.size])
      ios.each(&:close)
      one.close
      assert_nil(other.receive)
      assert_nil(other.receive_now)
      refute(other.send(:late))
    end
  end

  # A template process that fails to load has not read the orders to fork.
  def test_the_last_messages_of_a_process_that_has_not_read_all
    %i[receive receive_now].each do |read|
      channels do |one, other|
        other.send(:unread)
        one.send(:failed)
        one.close
        assert_equal(["failed", nil, []], other.public_send(read))
        assert_nil(other.public_send(read))
      end
    end
  end

  def test_a_channel_that_nobody_reads_takes_some_messages_and_never_waits
    channels do |one, _|
      assert_includes(1..10_000, (1..10_000).find { !one.send(:more, "x" * 1000) })
      assert_raises(ArgumentError) { one.send(:long, "x" * 65_536) }
    end
  end

  def test_what_is_no_message_is_one_that_nobody_handles
    channels do |one, other|
      one.to_io.sendmsg("{nonsense", 0)
      one.to_io.sendmsg("7", 0)
      one.to_io.sendmsg('"text"', 0)
      assert_equal(["", nil, []], other.receive)
      assert_equal(["", nil, []], other.receive)
      assert_equal(["", nil, []], other.receive)
    end
  end

  def test_of_many_that_find_a_stale_pid_file_one_gets_it
    need_fork
    Dir.mktmpdir do |folder|
      path = File.join(folder, "pid")
      10.times do
        File.write(path, "0\n")
        race_for(path).then do |winners|
          assert_equal(winners.first(1), [File.read(path).to_i]) && assert_equal(1, winners.size)
        end
        assert_equal(%w[pid], Dir.children(folder))
      end
    end
  end

  # @return [Array<Integer>] who got it
  def race_for(path)
    (go, start), (results, told), (rest, stop) = Array.new(3) { IO.pipe }
    pids = Array.new(6) do
      ::Process.fork do
        [start, stop].each(&:close)
        go.read
        Raffia::Process::PidFile.new(path).write
        told.puts(::Process.pid)
        rest.read
      rescue Raffia::ConfigError
        told.puts("no")
        rest.read
      ensure
        ::Process.exit!(0)
      end
    end
    start.close
    winners = Array.new(pids.size) { Integer(results.gets, exception: false) }.compact
    stop.close
    pids.each { |pid| ::Process.wait(pid) }
    winners
  ensure
    [go, start, results, told, rest, stop].each { |io| io.close unless io.closed? }
  end

  def test_boards
    boards = Supervisor::Scoreboards.new(3, 4)
    board = boards.board(1, 2)
    assert_equal([0, 0, 0, 0], board.to_a)
    board[3] = -5
    assert_equal(2, board.add(0, 2))
    ::Process.wait(fork { boards.board(1, 0).add(0, 40) && exit!(0) })
    assert_equal(42, boards.sum(0))
    assert_equal(0, boards.sum(0, [0, 2]))
    assert_equal([40, 0, 2, 0], boards.of(1).map { |row| row[0] })
    [-1, 4].each { |word| assert_raises(IndexError) { board[word] } }
    [[3, 0], [0, 4], [-1, 0]].each { |place| assert_raises(ArgumentError) { boards.board(*place) } }
    assert_equal(0.0, board.last_beat)
    board.beat
    assert_operator(board.last_beat, :>, 0)
    assert_equal([2, 0, 0, -5], board.to_a)
  ensure
    boards&.free
  end

  def test_pauses_between_deaths
    backoff = Supervisor::CrashBackoff.new(60, 1)
    assert_equal([0.1, 0.2, 0.4, 0.8], Array.new(4) { backoff.died(100.0, nil) })
    assert_equal(4, backoff.count(159.0))
    assert_equal(0, backoff.count(161.0))
    assert_equal([0.0] * 5 + [0.1, 0.2], Array.new(7) { backoff.died(200.0, 0.5) })
    assert_equal(5.0, Array.new(10) { backoff.died(200.0, 0.5) }.last)
    assert_equal(0.0, backoff.died(200.0, 2.0))
    assert_equal(0.0, backoff.died(200.0, 0.5))
    backoff.died(200.0, nil)
    backoff.booted
    assert_equal(0, backoff.count(200.0))
  end

  def test_what_is_killed_before_it_is_ready_waits_but_is_no_failure
    backoff = Supervisor::CrashBackoff.new(60, 1)
    pauses = Array.new(7) { backoff.died(100.0, nil, killed: true) }
    assert_equal([[0.0] * 5 + [0.1, 0.2], 0], [pauses, backoff.count(100.0)])
  end

  # Stands in for a template in {Supervisor::ForkerSet}: it died after it had served for some
  # seconds.
  Dead = Struct.new(:state, :seconds, :generation, :pid) do
    def served(_now) = seconds
    def next(_generation) = dup
  end
  private_constant :Dead

  def test_a_template_that_has_served_is_made_again_at_once
    {2.0 => [100.0] * 8, 0.5 => [100.0] * 5 + [100.1, 100.2, 100.4]}.each do |seconds, times|
      forkers = Supervisor::ForkerSet.new(Supervisor::Settings.from(min_life: 1))
      forkers.current = forkers.add(Dead.new(:gone, seconds))
      made = Array.new(8) do
        now = 100.0
        now = (now + 0.1).round(1) until forkers.mend(now) { break true }
        now
      end
      assert_equal(times, made)
    end
  end

  def test_settings_that_mean_nothing
    {{nonsense: 1} => /no setting nonsense: it has workers, slot/,
     {workers: 0} => "workers: 0 is not a number of 1..256",
     {boot_timeout: -1} => "boot_timeout: -1 is not a positive number",
     {hang_timeout: "x"} => 'hang_timeout: "x" is not a positive number',
     {hooks: {on_fire: 1}} => /no hook on_fire: there are before_fork/}.each do |given, message|
      assert_refused(message) { Supervisor.new(**given) { nil } }
    end
    assert_raises(ArgumentError) { Supervisor.new }
    assert_equal(300, Supervisor.new(workers: 300, hang_timeout: nil) { nil }.settings.max_workers)
  end

  # A forker that forks nothing.
  FakeForker = Struct.new(:name)
  # The messages that a worker gets.
  Told = Class.new(Array) { def send(*message) = push(message.first) }
  private_constant :FakeForker, :Told

  def worker(forker = FakeForker.new("old"), channel = Told.new)
    boards = Supervisor::Scoreboards.new(1, 1)
    yield Supervisor::WorkerProcess.new(forker, channel, boards.board(0), 0, 60)
  ensure
    boards&.free
  end

  def test_a_successor_takes_the_slot_over_with_its_forker
    worker do |old|
      worker(FakeForker.new("new")) do |successor|
        slot = Supervisor::Slot.new(0, [], nil)
        slot.forker = old.forker
        slot.assign(old)
        slot.assign(successor, successor: true)
        slot.due = 5.0 # the old one may have died meanwhile
        assert_same(old, slot.promote)
        assert_equal([successor, nil, [old]], [slot.current, slot.successor, slot.leaving])
        assert_equal([successor.forker, nil], [slot.forker, slot.due])
        assert_equal(2, slot.starts)
      end
    end
  end

  def test_a_slot_whose_worker_leaves_without_a_successor_is_vacant
    worker do |one|
      slot = Supervisor::Slot.new(0, [], nil)
      slot.assign(one)
      slot.vacate(7.0)
      assert_equal([nil, [one], [one], 7.0], [slot.current, slot.leaving, slot.workers, slot.due])
      assert_predicate(slot, :vacant?)
      assert_equal(:draining, slot.state)
      assert_equal([:leaving, []], [slot.remove(one), slot.workers])
    end
  end

  def test_a_worker_that_became_ready_as_it_was_told_to_drain_gets_the_time_of_one_that_serves
    worker do |one|
      one.served_late(60)
      assert_predicate(one, :booting?)
      one.drain(1, "enough")
      soon = one.deadline
      one.served_late(60)
      assert_predicate(one, :draining?)
      assert_operator(one.deadline, :>, soon + 30)
      assert_equal(%w[drain], one.channel)
    end
  end

  # This happens when SIGCHLD is ignored, or the application waits for any child.
  def test_a_process_that_somebody_else_has_reaped_has_ended
    need_fork
    gone, alive = fork { exit!(3) }, fork { sleep }
    ::Process.wait(gone)
    ended = Supervisor::Reaper.ended([gone, alive])
    assert_equal([[gone, nil, nil]], ended.map { |pid, how| [pid, how.status, how.signal] })
    assert_nil(Supervisor::Reaper.await(gone))
  ensure
    ::Process.kill(:KILL, alive)
    ::Process.wait(alive)
  end

  # The worker of a slot stays while its successor cannot be started.
  def test_a_worker_that_cannot_be_started_is_due_again_unless_it_was_a_successor
    forker = Struct.new(:dead?) { def spawn(*) = raise(Errno::EAGAIN) }.new(false)
    manager = Supervisor::WorkerManager.new(Supervisor::Settings.from(workers: 1), nil)
    slot = manager.open_slots(1).first
    assert_nil(manager.start(slot, forker, successor: true))
    assert_nil(slot.due)
    assert_nil(manager.start(slot, forker))
    assert_operator(slot.due, :>, 0)
    assert_equal(0, slot.starts)
  ensure
    manager&.boards&.free
  end

  def test_a_fleet_is_looked_at_when_the_first_thing_is_due
    manager = Supervisor::WorkerManager.new(Supervisor::Settings.from(workers: 2,
      hang_timeout: nil), nil)
    first, second = manager.open_slots(2)
    tick = manager.due(100.0)
    assert_includes(100.0..101.0, tick)
    first.due, second.due = 100.02, 100.01
    assert_in_delta(100.01, manager.due(100.0))
    second.retired = true
    assert_in_delta(100.02, manager.due(100.0))
  ensure
    manager&.boards&.free
  end

  def listeners(count)
    port = 0
    sockets = Array.new(count) do
      socket = Socket.new(:INET, :STREAM)
      socket.setsockopt(:SOCKET, :REUSEPORT, 1)
      socket.bind(Addrinfo.tcp("127.0.0.1", port))
      socket.listen(100)
      port = socket.local_address.ip_port
      socket
    end
    clients = []
    queued = -> { sockets.map { |one| Supervisor::ReuseportFilter.queued(one) } }
    yield sockets, ->(number) {
      number.times { clients << TCPSocket.new("127.0.0.1", port) } &&
        wait_until { queued.call.then { |counts| counts if counts.sum == clients.size } }
    }
  ensure
    [*sockets, *clients].each(&:close)
  end

  def test_connections_go_to_the_selected_sockets_only
    skip "SO_ATTACH_REUSEPORT_CBPF: of Linux" unless RUBY_PLATFORM.include?("linux")
    listeners(3) do |sockets, connect|
      assert(Supervisor::ReuseportFilter.apply(sockets.first, [1]))
      assert_equal([0, 20, 0], connect.call(20))
      Supervisor::ReuseportFilter.apply(sockets.last, [0, 2])
      first, second, third = connect.call(60)
      assert_equal([20, 80], [second, first + second + third])
      assert_operator([first, third].min, :>, 0)
      Supervisor::ReuseportFilter.apply(sockets.first, [])
      assert_operator(connect.call(60)[1], :>, 20)
    end
  end

  def test_sockets_are_numbered_by_group_over_slots_that_have_several
    listeners(4) do |one, _|
      listeners(2) do |two, _|
        slots = [[one[0], two[0], one[1], $stdin], [one[2], two[1], one[3], $stdin]]
        assert_equal([one, two], Supervisor::ReuseportFilter.groups(slots))
      end
    end
  end

  def test_slots_that_are_behind_get_no_new_connections
    skip "SO_ATTACH_REUSEPORT_CBPF: of Linux" unless RUBY_PLATFORM.include?("linux")
    listeners(2) do |sockets, connect|
      worker do |one|
        worker do |other|
          slots = sockets.zip([one, other]).map.with_index do |(socket, worker), index|
            Supervisor::Slot.new(index, [socket], nil).tap { |slot| slot.assign(worker) }
          end
          [one, other].each(&:ready)
          behind = [0]
          router = Supervisor::ConnectionRouter.new(slots,
            behind: ->(slot, row) { row.zero? && behind.include?(slot) })
          router.step(1.0)
          assert_equal [0, 20], connect.call(20)
          behind << 1 # all of them
          router.step(2.0)
          assert_operator connect.call(60).first, :>, 0
          behind.clear
          behind << 1
          router.step(3.0)
          before = connect.call(0).last
          assert_equal before, connect.call(20).last
        end
      end
    end
  end

  # A slot may have a socket for each of its Ractors.
  def test_a_slot_with_several_sockets_retires
    listeners(4) do |sockets, connect|
      first, last = [sockets.first(2), sockets.last(2)].each_with_index
        .map { |ios, index| Supervisor::Slot.new(index, ios, nil) }
      removal = Supervisor::SlotRemoval.new(last, [first], 0)
      assert(removal.begin)
      counts = connect.call(40)
      assert_equal([40, [0, 0]], [counts.first(2).sum, counts.last(2)])
      assert_equal(:close, removal.step(0))
      removal.take_back
      refute(last.retired)
      Supervisor::ReuseportFilter.apply(sockets.first, [])
      assert_operator(connect.call(60).last(2).sum, :>, 0)
      assert_equal(:start, removal.step(0))
    end
  end

  def test_which_sockets_share_a_port
    listeners(1) { |(socket)| assert(Supervisor::ReuseportFilter.group?(socket)) }
    TCPServer.open("127.0.0.1", 0) do |server|
      refute(Supervisor::ReuseportFilter.group?(server))
      refute(Supervisor::ReuseportFilter.apply(server, [0]))
    end
    refute(Supervisor::ReuseportFilter.group?($stdout))
    UNIXSocket.pair { |one, _| refute(Supervisor::ReuseportFilter.group?(one)) }
  end
end
