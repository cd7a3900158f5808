# frozen_string_literal: true

require_relative "scheduler_case"

# Files and names in fibers: what has no readiness.
module SchedulerBlockingSuite
  Boom = Class.new(StandardError)
  TEXT = Random.new(1).bytes(300_000).freeze

  # -- files

  def test_a_file_that_is_not_in_memory
    with_file(TEXT) do |file|
      on_scheduler(offload: false) do
        assert_bytes TEXT, evicted(file).read
        assert_nil file.read(1)
        assert_equal "", file.read
        assert_raises(EOFError) { file.readpartial(10) }
        assert_equal TEXT.byteslice(100_000, 50), evicted(file).pread(50, 100_000)
        assert_equal TEXT.byteslice(200_000, 50),
          IO::Buffer.new(50).tap { |buffer| buffer.pread(evicted(file), 200_000) }.get_string
        assert_raises(EOFError) { file.pread(10, TEXT.bytesize) }
      end
    end
  end

  # The part in memory ends with a page, and the rest must not be missing.
  def test_a_file_of_which_some_is_in_memory
    with_file(TEXT) do |file|
      on_scheduler(offload: false) do
        100_000.step(by: 4096, to: 120_000) do |from|
          evicted(file)
          File.open(file.path, "rb") { |other| Fiber.blocking { other.pread(1, from - 5000) } }
          assert_bytes TEXT.byteslice(from - 10_000, 150_000), file.pread(150_000, from - 10_000)
          evicted(file).sysseek(from - 10_000)
          assert_bytes TEXT.byteslice(from - 10_000, 150_000), file.sysread(150_000)
        end
      end
    end
  end

  def test_many_fibers_read
    with_file(TEXT) do |file|
      on_scheduler(offload: false) do |scheduler|
        parts = []
        fibers = Array.new(30) do |i|
          Fiber.schedule do
            parts[i] = Fiber.blocking { File.open(file.path, "rb") }
              .then { |own| evicted(own).pread(10_000, i * 10_000).tap { own.close } }
          end
        end
        settle { fibers.none?(&:alive?) }
        assert_bytes TEXT, parts.join
        assert_equal 0, scheduler.stats[:pending]
      end
    end
  end

  def test_reading_starts_no_thread_of_ruby
    skip("the engine in Ruby has no others") if backend == :select
    with_file(TEXT) do |file|
      on_scheduler(offload: false) do |scheduler|
        before = Thread.list
        assert_bytes TEXT, evicted(file).read
        scheduler.address_resolve("::1")
        assert_equal before, Thread.list
        assert_operator scheduler.stats[:blocking][:done], :>=, 1
      end
    end
  end

  def test_an_interrupt_waits_for_the_read
    with_file(TEXT) do |file|
      on_scheduler(offload: false) do |scheduler|
        caught = 0
        50.times do |i|
          fiber = Fiber.schedule do
            evicted(file).pread(5000, i * 5000)
            sleep
          rescue Boom
            caught += 1
          end
          scheduler.fiber_interrupt(fiber, Boom.new)
          settle { !fiber.alive? }
        end
        assert_equal 50, caught
        assert_equal 0, scheduler.stats[:pending]
      end
    end
  end

  def test_a_storm_of_interrupts
    random = Random.new(Minitest.seed)
    with_file(TEXT) do |file|
      on_scheduler(offload: false) do |scheduler|
        right = 0
        fibers = Array.new(10) do |i|
          Fiber.schedule do
            20.times do |n|
              from = random.rand(290_000)
              if n.even? ? evicted(file).pread(5000, from) == TEXT.byteslice(from, 5000) :
                scheduler.address_resolve("127.0.0.#{i}") == ["127.0.0.#{i}"]
                right += 1
              end
            rescue Boom
              redo
            end
          end
        end
        100.times do
          fiber = fibers.select(&:alive?).sample(random: random) or break
          scheduler.fiber_interrupt(fiber, Boom.new)
          sleep(0) if random.rand < 0.5
        end
        settle { fibers.none?(&:alive?) }
        assert_equal 200, right
        assert_equal 0, scheduler.stats[:pending]
      end
    end
  end

  def test_a_large_read_lets_the_others_run
    skip("the engine in Ruby reads at once") if backend == :select
    with_file("x" * 100) do |file|
      file.truncate(20 << 20)
      File.binread(file.path)
      on_scheduler(offload: false) do
        turns = 0
        reading = Fiber.schedule { assert_equal 20 << 20, File.binread(file.path).bytesize }
        turns += 1 while reading.alive? && sleep(0)
        assert_operator turns, :>=, 10
        file.seek(-5, IO::SEEK_END)
        assert_equal "\0" * 5, file.read(20 << 20)
        assert_nil file.read(20 << 20)
      end
    end
  end

  def test_files_that_are_made_up
    skip("no /proc here") unless File.exist?("/proc/self/status")
    on_scheduler do
      assert_includes File.read("/proc/self/status"), "Pid:\t#{Process.pid}\n"
      assert_operator File.foreach("/proc/cpuinfo").count, :>, 0
      assert_equal "\0" * 10, File.open("/dev/zero") { |zero| zero.read(10) }
      assert_equal "", File.read(File::NULL)
    end
  end

  def test_a_full_disk
    skip("no /dev/full here") unless File.exist?("/dev/full")
    on_scheduler do
      File.open("/dev/full", "w") { |full| assert_raises(Errno::ENOSPC) { full.syswrite("x") } }
      assert_raises(Errno::ENOSPC) { File.write("/dev/full", "x") }
    end
  end

  def test_both_ends_of_a_fifo
    skip("Ruby before 3.4 blocks the thread") if RUBY_VERSION < "3.4"
    Dir.mktmpdir do |dir|
      File.mkfifo("#{dir}/fifo")
      on_scheduler do
        texts = []
        3.times do |i|
          Fiber.schedule { texts << File.read("#{dir}/fifo") }
          File.write("#{dir}/fifo", "text #{i}")
          settle { texts.size == i + 1 }
        end
        assert_equal ["text 0", "text 1", "text 2"], texts
      end
    end
  end

  # Core asks the same hook for closing as for opening; both are too short for a second thread.
  def test_closing_is_done_here
    skip("Ruby before 3.4 does not ask") if RUBY_VERSION < "3.4"
    on_scheduler(offload: false) do |scheduler|
      offloads = 0
      scheduler.instance_variable_set(:@blocking,
        ->(&work) { (offloads += 1) && Fiber.blocking(&work) })
      IO.pipe.each(&:close)
      UNIXSocket.pair.each { |socket| socket.close_write && socket.close_read }
      closing = IO.pipe
      closing.first.then { |io| io.instance_eval { close } }
      closing.last.public_send(:close)
      assert_equal 0, offloads
      File.open(__FILE__).close
      File.open(File::NULL, "w").close
      assert_equal 0, offloads
    end
  end

  # -- names

  def test_addresses_of_names
    on_scheduler do |scheduler|
      assert_equal ["127.0.0.1"], scheduler.address_resolve("127.0.0.1")
      assert_equal ["::1"], scheduler.address_resolve("::1")
      if File.exist?("/sys/class/net/lo")
        assert_equal ["fe80::1%lo"], scheduler.address_resolve("fe80::1%lo")
      end
      assert_equal ["127.0.0.1"], Addrinfo.getaddrinfo("127.1", 80, :INET, :STREAM)
        .map(&:ip_address)
    end
  end

  def test_localhost
    need_localhost
    expected = Addrinfo.getaddrinfo("localhost", 80, nil, :STREAM).map(&:inspect_sockaddr)
    on_scheduler do
      assert_equal expected, Addrinfo.getaddrinfo("localhost", 80, nil, :STREAM)
        .map(&:inspect_sockaddr)
      assert_equal expected.grep(/127/),
        Addrinfo.getaddrinfo("localhost", 80, :INET, :STREAM).map(&:inspect_sockaddr)
    end
  end

  def test_unknown_names
    name = "no such name.invalid"
    expected = assert_raises(Socket::ResolutionError) { Addrinfo.getaddrinfo(name, 80) }
    on_scheduler do |scheduler|
      [-> { Addrinfo.getaddrinfo(name, 80) },
        -> { scheduler.address_resolve(name) }].each do |lookup|
        error = assert_raises(Socket::ResolutionError, &lookup)
        assert_equal [expected.message, expected.error_code], [error.message, error.error_code]
      end
      assert_raises(SocketError) { TCPSocket.open(name, 80) }
      assert_raises(SocketError) { UDPSocket.new.then { |socket| socket.connect(name, 80) } }
    end
  end

  def test_lookups_run_at_the_same_time
    on_scheduler do |scheduler|
      found = []
      fibers = Array.new(40) do |i|
        Fiber.schedule { found << scheduler.address_resolve("127.0.0.#{i}") }
      end
      settle { fibers.none?(&:alive?) }
      assert_equal Array.new(40) { |i| ["127.0.0.#{i}"] }.sort, found.sort
    end
  end

  def test_an_interrupt_does_not_wait_for_a_lookup
    on_scheduler do |scheduler|
      interrupted = 0
      fibers = Array.new(100) do
        Fiber.schedule do
          scheduler.address_resolve("no such name.invalid")
        rescue Boom
          interrupted += 1
        rescue SocketError
          nil
        end
      end
      alive = fibers.select(&:alive?)
      alive.each { |fiber| scheduler.fiber_interrupt(fiber, Boom.new) }
      settle { fibers.none?(&:alive?) }
      assert_operator interrupted, :>, 0
      assert_equal 0, scheduler.stats[:pending]
      assert_equal ["::1"], scheduler.address_resolve("::1")
    end
  end

  def test_a_time_limit_for_a_lookup
    on_scheduler do |scheduler|
      assert_raises(Timeout::Error) do
        Timeout.timeout(0.000_001) { 100.times { scheduler.address_resolve("127.0.0.1") } && sleep }
      end
      assert_equal 0, scheduler.stats[:pending]
    end
  end

  private

  # Without showing them.
  def assert_bytes(expected, actual)
    assert(expected ==
      actual, "#{actual.bytesize} bytes, which differ from " \
        "#{(0...expected.bytesize).find { |i| expected.getbyte(i) != actual.getbyte(i) }} on")
  end

  def with_file(text)
    Tempfile.create("blocking", binmode: true) do |file|
      file.write(text)
      file.flush
      file.fsync
      yield file
    end
  end

  # At its start, and out of the page cache, where the file system heeds the advice.
  def evicted(file)
    file.rewind
    file.advise(:dontneed)
    file
  end
end

SchedulerCase.run(SchedulerBlockingSuite)
