# frozen_string_literal: true

require "test_helper"
require "logger"
require "monitor"
require "socket"
require "raffia"

# Workers that are forked in the middle of a program that is busy with other things.
class PoolForkSafetyTest < Raffia::TestCase
  ON = {on: :processes, workers: 2}.freeze
  ROUNDS = 5

  # Runs the block while a thread does the work, again and again.
  def beside(work)
    over = false
    ready = Thread::Queue.new
    thread = Thread.new do
      until over
        work.call
        ready << true if ready.empty?
      end
    end
    ready.pop
    yield
  ensure
    over = true
    thread.join
  end

  # Runs the block while a thread holds what +hold+ yields in.
  def while_held(hold)
    held = Thread::Queue.new
    release = Thread::Queue.new
    thread = Thread.new do
      hold.call do
        held << true
        release.pop
      end
    end
    held.pop
    yield
  ensure
    release << true
    thread.join
  end

  def test_inside_of_a_running_loop
    assert_no_leaks do
      ticks = 0
      sums = Raffia.run do |scope|
        ticker = scope.spawn do
          (ticks += 1) && sleep(0.001) while true
        end # standard:disable Style/InfiniteLoop
        maps = Array.new(3) do |k|
          scope.spawn { Raffia.map(1..50, **ON) { |n| sleep(0.001) && n * k } }
        end
        maps.map { |map| map.value.sum }.tap { ticker.cancel }
      end
      assert_equal([0, 1275, 2550], sums)
      assert_operator(ticks, :>, 0)
    end
  end

  # @return [Array<String>] the numbers of their descriptors
  def rings
    Dir.children("/proc/self/fd").select do |fd|
      File.readlink("/proc/self/fd/#{fd}").include?("io_uring")
    rescue
      false
    end
  end # standard:disable Style/RescueModifier

  def test_the_loop_stays_with_the_parent
    skip "needs /proc" unless File.directory?("/proc/self/fd")
    assert_no_leaks do
      # of Ractors that other tests have left behind: only the Ractor that forks can close its own
      others = rings
      Raffia.run do
        reader, writer = IO.pipe
        ours = rings - others
        found = Raffia.map([1, 2], **ON) do
          [Fiber.scheduler.inspect, rings & ours,
            Raffia.run { sleep(0.001) && Fiber.scheduler.class.name }]
        end
        assert_equal([["nil", []]], found.map { |scheduler, left, _| [scheduler, left] }.uniq)
        assert_equal([Fiber.scheduler.class.name], found.map(&:last).uniq)
        # The parent's is as it was.
        Fiber.schedule { writer << "x" }
        assert_equal("x", reader.read(1))
      ensure
        [reader, writer].each(&:close)
      end
    end
  end

  def test_locks_that_other_threads_hold
    mutex, monitor = Mutex.new, Monitor.new
    [mutex, monitor].each do |lock|
      while_held(->(&block) { lock.synchronize(&block) }) do
        assert_no_leaks do
          assert_equal([1, 2], Raffia.map([1, 2], **ON) { |n| lock.synchronize { n } })
        end
      end
    end
  end

  # A device that keeps who writes first, but in children.
  class Slow
    def initialize = @owner = ::Process.pid

    attr_accessor :pause

    def write(text) = (::Process.pid == @owner) ? pause&.call : text.bytesize

    def close = nil
  end

  def test_a_logger_that_another_thread_is_writing_to
    logger = Logger.new(device = Slow.new)
    hold = lambda do |&block|
      device.pause = block
      logger.info("first")
    end
    while_held(hold) do
      assert_no_leaks do
        assert_equal([true], Raffia.map([1, 2], **ON) { |n| logger.info("item #{n}") }.uniq)
      end
    end
  end

  def test_while_other_threads_look_up_names
    need_localhost
    beside(-> { Addrinfo.getaddrinfo("localhost", 80) && sleep(0.0001) }) do
      ROUNDS.times do
        assert_no_leaks do
          assert_equal([true, true], Raffia.map([1, 2],
            **ON) { Addrinfo.getaddrinfo("localhost", 80).any? })
        end
      end
    end
  end

  def test_while_other_threads_allocate_and_collect
    beside(-> { Array.new(1_000) { |n| n.to_s } && GC.start || sleep(0.001) }) do
      ROUNDS.times do
        assert_no_leaks do
          assert_equal((1..40).sum, Raffia.map(1..40, **ON) { |n| Array.new(n) { "x" }.size }.sum)
        end
      end
    end
  end

  def test_while_other_threads_start_and_end_threads
    beside(-> { Thread.new { sleep(0.0005) }.join }) do
      ROUNDS.times { assert_equal([1, 2], Raffia.map([1, 2], **ON) { |n| Thread.new { n }.value }) }
    end
  end

  def test_whole_lines
    reader, writer = IO.pipe
    lines = Thread.new { reader.read.lines(chomp: true) }
    was = $stdout.dup
    $stdout.reopen(writer)
    Raffia.each(1..400, on: :processes, workers: 4) { |n| puts((97 + n % 26).chr * (1 + n % 300)) }
    $stdout.reopen(was)
    writer.close
    found = lines.value
    assert_equal(400, found.size)
    assert_equal((1..400).map { |n| (97 + n % 26).chr * (1 + n % 300) }.sort, found.sort)
  ensure
    $stdout.reopen(was)
    [was, reader, writer].each { |io| io.close unless io.closed? }
  end

  def test_what_a_killed_worker_printed_is_not_lost
    out, = capture_subprocess_io do
      assert_raises(Raffia::WorkerDied) do
        Raffia.each([1], **ON) do
          print("last words")
          ::Process.kill(:KILL, ::Process.pid)
        end
      end
    end
    assert_equal("last words", out)
  end

  def test_exceptions_arrive_with_their_causes_and_large_messages
    error = assert_raises(ArgumentError) do
      Raffia.each([1], **ON) do
        raise "first"
      rescue
        raise ArgumentError, "m" * 500_000
      end
    end
    assert_equal([500_000, "first"], [error.message.bytesize, error.cause.message])
  end

  def test_ctrl_c_is_the_parents_business_whatever_handler_the_program_has
    was = trap(:INT) { exit!(3) }
    assert_equal([1],
      Raffia.map([1], **ON) { |n| ::Process.kill(:INT, ::Process.pid) && sleep(0.05) && n })
  ensure
    trap(:INT, was)
  end

  # The methods that fork itself needs, and no more.
  class Screen
    def write(*) = nil

    def flush = nil
  end

  def test_where_standard_output_is_no_io
    was, $stdout = $stdout, Screen.new
    assert_equal([1, 2], Raffia.map([1, 2], **ON) { |n| puts(n) || n })
  ensure
    $stdout = was
  end
end
