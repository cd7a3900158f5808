# frozen_string_literal: true

require_relative "scheduler_case"
require "io/console"
require "pty"

module SchedulerIOSuite
  R = IO::READABLE
  W = IO::WRITABLE

  # -- io_wait

  def test_waiting_for_a_descriptor
    on_scheduler do
      pipe do |reader, writer|
        Fiber.schedule { writer << "x" if sleep(0.001) }
        assert_same reader, reader.wait_readable
        assert_same writer, writer.wait_writable(1)
        assert_equal R, reader.wait(R, nil)
      end
    end
  end

  def test_a_wait_with_a_time_limit
    on_scheduler do
      pipe do |reader, writer|
        started = TestSupport.now
        assert_nil reader.wait_readable(0.01)
        assert_operator TestSupport.now - started, :>=, 0.01
        writer << "x"
        assert_same reader, reader.wait_readable(100)
      end
    end
  end

  def test_a_time_limit_of_zero_only_polls
    on_scheduler do |scheduler|
      pipe do |reader, writer|
        switches = scheduler.stats[:switches]
        assert_nil reader.wait_readable(0)
        assert_same writer, writer.wait_writable(0)
        writer << "x"
        assert_same reader, reader.wait_readable(0)
        assert_equal switches, scheduler.stats[:switches], "it did not wait"
      end
      sockets do |one, other|
        assert_equal W, one.wait(R | W, 0)
        other << "x"
        assert_equal R | W, one.wait(R | W, 0)
      end
    end
  end

  def test_several_fibers_wait_for_one_descriptor
    on_scheduler do
      sockets do |one, other|
        woken = []
        3.times { |i| Fiber.schedule { woken << i if one.wait_readable } }
        Fiber.schedule { woken << :limited unless one.wait_readable(0.001) }
        Fiber.schedule { woken << :writer if one.wait_writable }
        settle { woken.size == 2 }
        assert_equal %i[limited writer], woken.sort
        other << "x"
        settle { woken.size == 5 }
      end
    end
  end

  def test_waiters_through_other_objects_of_the_same_descriptor
    on_scheduler do
      pipe do |reader, writer|
        other = IO.for_fd(reader.fileno, autoclose: false)
        woken = []
        Fiber.schedule { woken << 1 if reader.wait_readable }
        Fiber.schedule { woken << 2 if other.wait_readable }
        writer << "x"
        settle { woken.sort == [1, 2] }
      end
    end
  end

  def test_a_closed_io
    on_scheduler do
      reader, writer = IO.pipe
      reader.close
      assert_raises(IOError) { reader.wait_readable }
      assert_raises(IOError) { reader.wait_readable(0) }
      assert_raises(IOError) { IO.select([reader], nil, nil, 1) }
      writer.close
    end
  end

  def test_closing_an_io_with_waiting_fibers
    on_scheduler do |scheduler|
      [UNIXSocket.pair, IO.pipe].each do |one, other|
        waits = [-> { one.wait_readable }, -> { one.wait_readable(100) }, -> { one.readpartial(1) }]
        seen = []
        waits.each do |wait|
          Fiber.schedule do
            wait.call
          rescue IOError => error
            seen << error.message
          end
        end
        sleep(0.001) # the kernel has been asked
        one.close
        settle { seen.size == waits.size }
        assert_equal ["stream closed in another thread"], seen.uniq
        assert_equal 0, scheduler.stats[:pending]
        # And so the other end hears of it.
        assert_raises(Errno::EPIPE) { loop { other.write("x") } }
        other.close
      end
    end
  end

  def test_a_peer_that_hangs_up_wakes_readers_and_writers
    on_scheduler do
      sockets do |one, other|
        seen = []
        Fiber.schedule do
          seen << one.read(1)
        rescue SystemCallError => error
          seen << error.class
        end
        one.write_nonblock("x" * 65_536, exception: false) while one.wait_writable(0)
        Fiber.schedule do
          one.write("y" * 1_000_000)
        rescue SystemCallError => error
          seen << error.class
        end
        other.close
        settle { seen.size == 2 }
      end
    end
  end

  # -- reading and writing

  def test_streams_of_all_kinds
    on_scheduler do
      [true, false].each do |nonblock|
        {pipe: IO.pipe, unix: UNIXSocket.pair, tcp: tcp}.each do |kind, (reader, writer)|
          [reader, writer].each { |io| io.nonblock = nonblock }
          text = Random.bytes(300_000)
          Fiber.schedule do
            writer.write(text)
            writer.close
          end
          others = 0
          Fiber.schedule { 5.times { sleep(0) && others += 1 } }
          assert_equal text, reader.read.b, "#{kind}, nonblock #{nonblock}"
          settle { others == 5 }
          reader.close
        end
      end
    end
  end

  def test_reading_in_pieces
    on_scheduler do
      pipe do |reader, writer|
        Fiber.schedule do
          ["on", "e\ntwo", "\nth", "ree"].each { |part| sleep(0.001) && writer << part } &&
            writer.close
        end
        assert_equal "one\n", reader.gets
        assert_equal "tw", reader.read(2)
        assert_equal "o", reader.getc
        assert_equal "\n", reader.readchar
        assert_equal "th", reader.readpartial(100)
        assert_equal "ree", reader.read
        assert_raises(EOFError) { reader.readpartial(1) }
      end
    end
  end

  def test_a_terminal_whose_readers_do_not_wait
    skip "Ruby alone cannot tell" if backend == :select
    on_scheduler do
      PTY.open do |master, slave|
        slave.raw(min: 0, time: 0) do
          assert_nil slave.getc
          master << "a"
          assert slave.wait_readable
          assert_equal "a", slave.getc
        end
      end
    end
  end

  def test_sysread_waits
    on_scheduler do
      pipe do |reader, writer|
        Fiber.schedule { sleep(0.001) && writer << "abc" && writer.close }
        assert_equal "abc", reader.sysread(5)
        assert_raises(EOFError) { reader.sysread(5) }
      end
    end
  end

  def test_sysread_keeps_the_time_limit_of_its_io
    on_scheduler do
      pipe do |reader, _writer|
        reader.timeout = 0.001
        assert_raises(IO::TimeoutError) { reader.sysread(5) }
      end
    end
  end

  # Schedulers that watch one hook override it as core calls it.
  def test_hooks_call_io_wait_with_all_of_its_arguments
    on_scheduler do |scheduler|
      waited = []
      scheduler.define_singleton_method(:io_wait) do |io, events, timeout|
        waited << events
        super(io, events, timeout)
      end
      pipe do |reader, writer|
        Fiber.schedule { sleep(0.001) && writer << "abc" }
        assert_equal "abc", reader.sysread(5)
        text = "x" * 300_000
        Fiber.schedule { sleep(0.001) && writer.write(text) && writer.close }
        assert_equal text, reader.read
      end
      assert_includes waited, W
      assert_includes waited, R
      ::Process.wait(::Process.spawn("sleep 0.01"))
    end
  end

  def test_reading_without_waiting
    on_scheduler do
      [IO.pipe, UNIXSocket.pair].each do |reader, writer|
        assert_raises(IO::WaitReadable) { reader.read_nonblock(5) }
        assert_equal :wait_readable, reader.read_nonblock(5, exception: false)
        writer << "abc"
        assert_equal "abc", reader.read_nonblock(5)
        full = nil
        full = writer.write_nonblock("x" * 65_536, exception: false) until full == :wait_writable
        [reader, writer].each(&:close)
      end
    end
  end

  def test_several_read_and_write_one_stream
    on_scheduler do
      pipe do |reader, writer|
        got = []
        3.times { Fiber.schedule { got << reader.readpartial(1) } }
        3.times { |i| Fiber.schedule { writer.syswrite(i.to_s) } }
        settle { got.size == 3 }
        assert_equal %w[0 1 2], got.sort
      end
    end
  end

  # Data for a reader that is not the scheduler's does not confuse it.
  def test_a_blocking_reader_in_another_thread
    if backend == :select
      skip "Ruby alone cannot read from a blocking descriptor without the risk that another " \
        "reader was quicker"
    end
    on_scheduler do
      pipe do |reader, writer|
        reader.nonblock = writer.nonblock = false
        thread = Thread.new { Array.new(5) { reader.readpartial(1) } }
        got = []
        Fiber.schedule { 5.times { got << reader.readpartial(1) } }
        10.times { |i| sleep(0.0005) && writer.syswrite(i.to_s) }
        assert_equal (0..9).map(&:to_s), (thread.value + got.tap { settle { got.size == 5 } }).sort
      end
    end
  end

  def test_files
    on_scheduler do
      Tempfile.create("scheduler") do |file|
        text = Random.bytes(200_000)
        assert_equal text.bytesize, file.write(text)
        file.flush
        assert_equal text.bytesize, file.size
        file.rewind
        assert_equal text, file.read.b
        assert_nil file.read(1)
        assert_equal text[1000, 500], file.pread(500, 1000).b
        assert_equal 3, file.pwrite("abc", 10)
        assert_equal "abc", file.pread(3, 10)
        assert_raises(EOFError) { file.pread(1, 1_000_000) }
        assert_equal text[13..], File.binread(file.path, nil, 13)
        assert_equal 5, IO.write(file.path, "short")
        assert_equal %w[short], File.readlines(file.path)
        assert_equal "short", File.read(file.path)
      end
      assert_raises(Errno::ENOENT) { File.read("/nowhere/at/all") }
    end
  end

  # Ruby before 4.0 calls the hook of IO#pwrite without its lock: threads then stop, or worse.
  def test_pwrite_leaves_threads_alone
    on_scheduler do
      Tempfile.create("scheduler") do |file|
        20.times do |i|
          thread = Thread.new { sleep(0.0001) && :goes_on }
          assert_equal 1, file.pwrite("x", i)
          assert_equal 1, File.open(file.path) { |other| other.read(1).size }
          assert_equal :goes_on, thread.value
        end
      end
    end
  end

  # It also makes an object for the hook that there is not, and aborts while a thread collects
  # garbage.
  def test_pwrite_while_a_thread_collects_garbage
    out, = ruby(<<~RUBY)
      require "raffia"
      require "tempfile"
      collector = Thread.new { loop { GC.start && sleep(0) } }
      Raffia.run(backend: :#{backend}) do
        Tempfile.create do |file|
          12.times { |i| file.pwrite("abc" * 1000, i * 3000) }
          puts file.size
        end
      end
      collector.kill.join
    RUBY
    assert_equal "36000\n", out
  end

  def test_devices
    on_scheduler do
      assert_equal "", File.read(File::NULL)
      assert_equal 70_000, File.write(File::NULL, "x" * 70_000)
      assert_equal 5000, File.open("/dev/zero") { |file| file.read(5000).count("\0") }
      assert_equal 100, File.open("/dev/urandom") { |file| file.readpartial(100).bytesize }
    end
  end

  def test_a_terminal
    need_terminals
    on_scheduler do
      PTY.open do |master, slave|
        others = 0
        Fiber.schedule { 3.times { sleep(0.001) && others += 1 } && master << "typed\n" }
        assert_equal "typed\n", slave.gets
        assert_equal 3, others
        slave.puts("shown")
        assert_equal "typed\r\n", master.gets
        assert_equal "shown\r\n", master.gets
      end
    end
  end

  def test_the_timeout_of_an_io
    on_scheduler do
      sockets do |one, other|
        one.timeout = 0.01
        assert_raises(IO::TimeoutError) { one.read(1) }
        assert_raises(IO::TimeoutError) { one.readpartial(1) }
        assert_raises(IO::TimeoutError) { one.write("x" * 10_000_000) }
        assert_raises(IO::TimeoutError) { loop { one.syswrite("x" * 100_000) } }
        if RUBY_VERSION >= "3.4"
          assert_nil(one.wait_readable)
        else
          assert_raises(IO::TimeoutError) { one.wait_readable }
        end
        one.timeout = 100
        Fiber.schedule { other << "y" }
        assert_equal "y", one.read(1)
      end
    end
  end

  # -- the hooks themselves, as IO::Buffer calls them

  def test_a_least_number_of_bytes
    on_scheduler do |scheduler|
      [IO.pipe, UNIXSocket.pair].each do |reader, writer|
        buffer = IO::Buffer.new(10)
        # read_nonblock of a pipe comes here; a socket has one that asks no scheduler.
        unless reader.is_a?(BasicSocket)
          assert_equal(-Errno::EAGAIN::Errno, scheduler.io_read(reader, buffer, 0, 0))
        end
        Fiber.schedule { %w[a b c d].each { |text| sleep(0.0005) && writer.syswrite(text) } }
        assert_equal 4, buffer.read(reader, 4, 2)
        assert_equal "abcd", buffer.get_string(2, 4)
        Fiber.schedule { writer.syswrite("ef") && writer.close }
        assert_equal 2, buffer.read(reader, 10), "the end came first"
        assert_equal 0, buffer.read(reader, 1)
        reader.close
      end
    end
  end

  def test_reading_sockets_without_waiting
    on_scheduler do
      sockets do |one, other|
        10.times do |i|
          assert_equal :wait_readable, one.read_nonblock(5, exception: false)
          other << "x#{i}"
          assert_equal "x#{i}", one.read_nonblock(5, exception: false)
        end
        # A socket that is likely to be empty is not tried first; its data is read all the same.
        20.times do |i|
          other << "first#{i}" if i.odd?
          Fiber.schedule { other << "second#{i}" } if i.even?
          assert_equal (i.odd? ? "first#{i}" : "second#{i}"), one.readpartial(100)
        end
        other.close
        assert_nil one.read_nonblock(5, exception: false)
        assert_raises(EOFError) { one.readpartial(1) }
      end
    end
  end

  # While others are ready to run, a ring collects what is to be sent.
  def test_many_send_at_once
    on_scheduler do |scheduler|
      ends = Array.new(50) { UNIXSocket.pair }
      got = []
      ends.each_with_index do |(one, other), i|
        Fiber.schedule { 20.times { |n| one.write("#{i}:#{n};") } && one.close_write }
        Fiber.schedule { got << [i, other.read] }
      end
      settle { got.size == 50 }
      got.each { |i, text| assert_equal Array.new(20) { |n| "#{i}:#{n};" }.join, text }
      assert_equal 0, scheduler.stats[:pending]
    ensure
      ends.flatten.each(&:close)
    end
  end

  # The kernel has the bytes until it says so: an interrupt waits for that.
  def test_interrupting_those_that_send
    on_scheduler do |scheduler|
      ends = Array.new(20) { UNIXSocket.pair }
      struck = 0
      fibers = ends.map do |one, _|
        Fiber.schedule do
          sleep(0) # so that the others are ready
          loop { one.write("x" * 300_000) }
        rescue IOError
          struck += 1
        end
      end
      sleep(0.002)
      fibers.each { |fiber| scheduler.fiber_interrupt(fiber, IOError.new("enough")) }
      settle { struck == 20 }
      assert_equal 0, scheduler.stats[:pending]
    ensure
      ends.flatten.each(&:close)
    end
  end

  def test_killing_one_that_sends
    on_scheduler do |scheduler|
      sockets do |one, other|
        nil until one.write_nonblock("x" * 65_536, exception: false) == :wait_writable
        over = false
        seen = []
        others = Fiber.schedule { scheduler.yield until over }
        sender = Fiber.schedule do
          one.write("y")
        ensure
          seen << :ensured
        end
        sender.kill
        settle { seen == [:ensured] && !sender.alive? }
        over = true
        settle { !others.alive? }
        assert_equal 0, scheduler.stats[:pending]
        refute_nil other
      end
    end
  end

  def test_writing_a_least_number_of_bytes
    on_scheduler do |scheduler|
      pipe do |reader, writer|
        buffer = IO::Buffer.new(500_000)
        buffer.set_string("end", 499_997)
        got = 0
        last = nil
        Fiber.schedule { got += (last = reader.readpartial(50_000)).bytesize while got < 500_000 }
        assert_equal 500_000, buffer.write(writer, 500_000)
        settle { got == 500_000 }
        assert last.end_with?("end")
        assert_operator scheduler.io_write(writer, buffer, 0, 0), :>, 0
        assert_equal 0, scheduler.io_write(writer, buffer, 0, 500_000)
      end
    end
  end

  def test_errors_are_negative_numbers
    on_scheduler do |scheduler|
      pipe do |reader, writer|
        buffer = IO::Buffer.new(4)
        assert_equal(-Errno::EBADF::Errno, scheduler.io_write(reader, buffer, 1, 0))
        assert_equal(-Errno::ESPIPE::Errno, scheduler.io_pread(reader, buffer, 0, 1, 0))
        reader.close
        assert_equal(-Errno::EPIPE::Errno, scheduler.io_write(writer, buffer, 1, 0))
        assert_raises(Errno::EPIPE) { writer.syswrite("x") }
      end
    end
  end

  def test_file_hooks_with_positions
    on_scheduler do |scheduler|
      Tempfile.create("scheduler") do |file|
        buffer = IO::Buffer.new(6)
        buffer.set_string("abcdef")
        assert_equal 6, buffer.pwrite(file, 2, 6, 0)
        assert_equal 2, buffer.pwrite(file, 0, 2, 4)
        assert_equal "efabcdef", file.pread(8, 0)
        assert_equal 4, scheduler.io_pread(file, buffer, 4, 6, 1), "there are no more"
        assert_equal "acdeff", buffer.get_string
        assert_equal 0, scheduler.io_pread(file, buffer, 100, 1, 0)
      end
    end
  end

  # The kernel's own transfers, and those of other threads: their memory is not given back under
  # them.
  def test_interrupted_transfers_of_cold_files
    on_scheduler do |scheduler|
      Tempfile.create("scheduler") do |file|
        file.write("x" * 100_000)
        file.flush
        file.fdatasync
        30.times do |i|
          file.advise(:dontneed)
          string = +""
          reader = Fiber.schedule do
            file.pread(100_000, 0, string)
          rescue IOError
            nil
          end
          scheduler.fiber_interrupt(reader, IOError.new("enough")) if i.odd?
          GC.start if (i % 10).zero?
          settle { !reader.alive? }
          assert_equal 100_000, string.bytesize if i.even?
        end
      end
    end
  end

  # -- select

  def test_select
    on_scheduler do
      sockets do |one, other|
        pipe do |reader, writer|
          assert_equal [[], [one, writer], []], IO.select([one, reader], [one, writer], [one])
          Fiber.schedule { sleep(0.001) && other << "x" }
          assert_equal [[one], [], []], IO.select([one, reader])
          writer << "x"
          assert_equal [[one, reader], [], []], IO.select([one, reader], nil, nil, 1)
        end
      end
    end
  end

  def test_select_with_a_time_limit
    on_scheduler do
      pipe do |reader, _|
        started = TestSupport.now
        assert_nil IO.select([reader], nil, nil, 0.01)
        assert_operator TestSupport.now - started, :>=, 0.01
        assert_nil IO.select([reader], nil, nil, 0)
        assert_nil IO.select([], [], [], 0.001)
        assert_nil IO.select(nil, nil, nil, 0.001)
        assert_raises(ArgumentError) { IO.select([reader], nil, nil, -1) }
        assert_raises(TypeError) { IO.select([reader], nil, nil, "1") }
        assert_raises(TypeError) { IO.select([Object.new], nil, nil, 0.001) }
      end
    end
  end

  def test_select_sees_buffered_data
    on_scheduler do
      pipe do |reader, writer|
        writer << "one\ntwo\n"
        assert_equal "one\n", reader.gets
        assert_equal [[reader], [], []], IO.select([reader], nil, nil, 1)
      end
    end
  end

  def test_select_leaves_nothing_armed
    on_scheduler do |scheduler|
      pipe do |reader, writer|
        10.times { IO.select([reader], nil, nil, 0.0001) }
        assert_equal 0, scheduler.stats[:pending]
        writer << "x"
        IO.select([reader], nil, nil, 100)
        reader.wait_readable(100)
        assert_equal 0, scheduler.stats[:pending]
      end
    end
  end

  def test_copy_stream
    on_scheduler do
      Tempfile.create("scheduler") do |file|
        file.write("y" * 300_000)
        file.flush
        file.rewind
        sockets do |one, other|
          copied = nil
          Fiber.schedule do
            copied = IO.copy_stream(file, one)
            one.close_write
          end
          sleep(0.002) # until it has to wait
          assert_equal 300_000, other.read.bytesize
          settle { copied }
          assert_equal 300_000, copied
        end
      end
    end
  end

  def test_many_connections_at_once
    on_scheduler do
      server = TCPServer.new("127.0.0.1", 0)
      served = 0
      Fiber.schedule do
        50.times do
          client = server.accept
          Fiber.schedule { client.puts(client.gets.upcase) || client.close || served += 1 }
        end
      end
      answers = []
      50.times do |i|
        Fiber.schedule do
          TCPSocket.open("127.0.0.1", server.addr[1]) do |socket|
            sleep(0.001)
            socket.puts("text #{i}")
            answers << socket.gets
          end
        end
      end
      settle { answers.size == 50 && served == 50 }
      assert_equal Array.new(50) { |i| "TEXT #{i}\n" }.sort, answers.sort
      server.close
    end
  end

  private

  def tcp
    server = TCPServer.new("127.0.0.1", 0)
    client = Fiber.new(blocking: true) { TCPSocket.new("127.0.0.1", server.addr[1]) }.resume
    [server.accept, client]
  ensure
    server&.close
  end
end

SchedulerCase.run(SchedulerIOSuite)
