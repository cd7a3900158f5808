# frozen_string_literal: true

require_relative "scheduler_case"

# A fiber closes an IO that plain threads read. Core lets the close wait until each of them has let
# go of the IO.
module SchedulerCloseSuite
  READERS = {
    gets: ->(io) { io.gets }, read: ->(io) { io.read(1) },
    readpartial: ->(io) { io.readpartial(10) },
    sysread: ->(io) { io.sysread(10) }, wait_readable: ->(io) { io.wait_readable }
  }.freeze

  def test_other_threads_run
    READERS.each do |name, read|
      with_reader(read) do |io, thread, release|
        on_scheduler do
          io.close
          assert_predicate io, :closed?, name
          assert_predicate thread, :alive?, name
        end
        release << true
        assert_kind_of IOError, join(thread).value, name
      end
    end
  end

  def test_many_threads
    server = TCPServer.new("127.0.0.1", 0)
    release = Thread::Queue.new
    threads = Array.new(10) { reader(server, release, &:accept) }
    on_scheduler do
      server.close
      assert threads.all?(&:alive?)
    end
    threads.size.times { release << true }
    assert_equal ["stream closed in another thread"],
      threads.map { |thread| join(thread).value.message }.uniq
  end

  def test_the_closing_fiber_holds_what_the_thread_wants_next
    20.times do
      lock = Thread::Mutex.new
      sockets do |io, peer|
        thread = Thread.new do
          read_until_closed(io)
          lock.synchronize { io.close }
        end
        on_scheduler do
          peer.puts("line")
          assert_equal "line\n", peer.gets
          lock.synchronize { io.close }
        end
        join(thread)
      end
    end
  end

  def test_other_fibers_run_meanwhile
    with_reader(READERS[:gets]) do |io, thread, release|
      turns = on_scheduler do
        closing = Fiber.schedule { io.close }
        (1..).find { sleep(0) && !closing.alive? }
      end
      assert_operator turns, :>=, 1
      release << true
      join(thread)
    end
  end

  # Such a fiber sleeps with its thread.
  def test_a_blocking_fiber_closes
    with_reader(READERS[:gets]) do |io, thread, release|
      in_thread { with_scheduler { io.close } }
      release << true
      assert_kind_of IOError, join(thread).value
    end
    with_reader(READERS[:gets]) do |io, thread, release|
      on_scheduler { Fiber.blocking { io.close } }
      release << true
      assert_kind_of IOError, join(thread).value
    end
  end

  def test_a_thread_that_is_killed_meanwhile
    sockets do |io, _peer|
      ended = Thread::Queue.new
      thread = Thread.new do
        io.gets
      ensure
        ended.pop
      end
      wait_until { thread.stop? }
      on_scheduler do
        thread.kill
        io.close
        assert_predicate thread, :alive?
      end
      ended << true
      join(thread)
    end
  end

  def test_a_thread_that_is_raised_in_meanwhile
    sockets do |io, _peer|
      ended = Thread::Queue.new
      thread = Thread.new do
        io.gets
      rescue ThreadError => error
        assert_raises(IOError) { ended.pop }
        error.message
      end
      wait_until { thread.stop? }
      on_scheduler do
        thread.raise(ThreadError, "mine")
        io.close
      end
      ended << true
      assert_equal "mine", join(thread).value
    end
  end

  def test_reopening
    with_reader(READERS[:gets]) do |io, thread, release|
      sockets do |other, peer|
        join(Thread.new { with_scheduler { Fiber.schedule { io.reopen(other) } } })
        peer.puts("through the other")
        assert_equal "through the other\n", io.gets
      end
      release << true
      assert_kind_of IOError, join(thread).value
    end
  end

  private

  def with_reader(read)
    sockets do |io, _peer|
      release = Thread::Queue.new
      yield io, reader(io, release, &read), release
    end
  end

  # A thread that reads, and keeps the value until it may end.
  def reader(io, release)
    thread = Thread.new do
      yield io
    rescue IOError => error
      release.pop
      error
    end
    wait_until { thread.stop? }
    thread
  end

  def read_until_closed(io)
    while (line = io.gets)
      io.write(line)
    end
  rescue IOError
    nil
  end

  SchedulerCase.run(self)
end
