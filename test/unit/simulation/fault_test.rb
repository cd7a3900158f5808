# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"
require "socket"
require "tempfile"
require "timeout"

# Each kind of fault finds a planted bug, and nothing in the fixed program.
class SimulationFaultTest < Raffia::TestCase
  Simulation = Raffia::Simulation

  def setup
    @file = Tempfile.new("raffia")
    @path = @file.path
  end

  def teardown = @file.close!

  def test_errors_of_files
    write = -> { File.open(@path, "w") { |file| file.puts "a" } }
    errors = 20.times.map { |seed| found({errors: 0.3}, seed: seed) { write.call } }.uniq
    assert_equal [Errno::EIO, Errno::EMFILE, Errno::ENOSPC], errors.map(&:class).uniq
      .sort_by(&:name)
    assert_clean({errors: 0.3}) do
      write.call
    rescue SystemCallError
      nil
    end
  end

  def test_a_connection_that_is_reset_is_over_for_the_peer
    error = found({errors: 0.2}) { |_| talk { |socket| socket.readpartial(4) } }
    assert_instance_of Errno::ECONNRESET, error
    ends = []
    Simulation.run do |sim|
      left, right = UNIXSocket.pair
      sim.inject(Errno::ECONNRESET, at: "BasicSocket#write")
      ends << assert_raises(Errno::ECONNRESET) { left.write("a") } << right.read
    end
    assert_equal "", ends.last
  end

  def test_sockets_without_a_descriptor
    error = found({errors: 0.2}) { |_| Socket.new(:UNIX, :STREAM).close }
    assert_instance_of Errno::EMFILE, error
  end

  def test_short_reads_and_writes
    failure = explore({short_io: 0.2}) do
      talk { |socket| raise "short" unless socket.readpartial(4) == "ping" }
    end
    assert_match(/readpartial|recv/, failure.faults)
    assert_clean({short_io: 0.2}) do
      talk { |socket| raise "short" unless socket.read(4) == "ping" }
    end
    assert_equal "short", found({short_io: 0.2}) { |_|
      reader, writer = IO.pipe
      raise "short" if writer.write_nonblock("ping") < 4
      reader.close
    }.message
  end

  def test_spurious_wake_ups
    error = found({spurious: 0.1}) { |_| hand_over { |wait, done| wait.call if done.empty? } }
    assert_equal "nothing there", error.message
    assert_clean({spurious: 0.1}) { hand_over { |wait, done| wait.call while done.empty? } }
  end

  def test_spurious_readiness
    error = found({spurious: 0.1}) do |_|
      talk do |socket|
        socket.wait_readable
        socket.read_nonblock(4)
      end
    end
    assert_kind_of IO::WaitReadable, error
    assert_clean({spurious: 0.1}) { talk { |socket| socket.read(4) } }
  end

  def test_cancelled_tasks
    error = found({cancel: 0.1}) do |_|
      Raffia.run { |scope| scope.spawn { sleep 1 }.value }
    end
    assert_instance_of Raffia::Cancelled, error
    assert_clean({cancel: 0.1}) { Raffia.run { |scope| scope.spawn { sleep 1 }.join } }
  end

  def test_killed_threads
    failure = explore({kill: 0.1}) { raise "busy for ever" if busy_after_use }
    assert_equal "busy for ever", failure.error.message
    assert_includes failure.faults, "kill at a wait of main/1"
    assert_clean({kill: 0.1}) { raise "busy for ever" if busy_after_use { @busy = false } }
  end

  def test_steps_of_the_wall_clock
    program = lambda do |clock|
      start = Process.clock_gettime(clock)
      raise "back" if Process.clock_gettime(clock) < start
    end
    assert_equal "back", found({clock: 0.2}) { |_|
      program.call(Process::CLOCK_REALTIME)
    }.message
    assert_clean({clock: 0.2}) { program.call(Process::CLOCK_MONOTONIC) }
  end

  def test_slow_disks
    error = found({slow_disk: 0.1}) { |_| Timeout.timeout(0.5) { File.read(@path) } }
    assert_instance_of Timeout::Error, error
    assert_clean({slow_disk: 0.1}) { Timeout.timeout(100) { File.read(@path) } }
  end

  def test_a_pause_lets_timeouts_strike_between_two_steps
    program = lambda do |masked|
      pool = Queue.new.push(:connection)
      begin
        Timeout.timeout(1) { masked ? use_masked(pool) : use(pool) }
      rescue Timeout::Error
        nil
      end
      raise "lost" if pool.empty?
    end
    assert_equal "lost", found({pause: 0.05}, runs: 1000) { |_| program.call(false) }.message
    assert_clean({pause: 0.05}, runs: 500) { program.call(true) }
  end

  private

  def busy_after_use
    Thread.new do
      @busy = true
      sleep 1
      @busy = false
    ensure
      yield if block_given?
    end.join
    @busy
  end

  def use(pool)
    connection = pool.pop
    begin
      connection.to_s
    ensure
      pool.push(connection)
    end
  end

  def use_masked(pool) = Thread.handle_interrupt(Exception => :never) { use(pool) }

  def talk
    left, right = UNIXSocket.pair
    thread = Thread.new do
      sleep 1
      left.write("ping")
    end
    yield right
    thread.join
  ensure
    [left, right].compact.each(&:close)
  end

  def hand_over
    lock = Mutex.new
    filled = ConditionVariable.new
    done = []
    taker = Thread.new do
      lock.synchronize do
        yield -> { filled.wait(lock) }, done
        raise "nothing there" if done.empty?
      end
    end
    sleep 1
    lock.synchronize do
      done << 1
      filled.signal
    end
    taker.join
  end

  def explore(faults, runs: 300, seed: 1, &)
    Simulation.explore(runs: runs, seed: seed, faults: faults, &).failure
  end

  def found(faults, **, &)
    failure = explore(faults, **, &)
    refute_nil failure, "nothing was found"
    failure.error
  end

  def assert_clean(faults, **, &)
    failure = explore(faults, **) { |_| yield }
    assert_nil failure, failure&.message
  end
end
