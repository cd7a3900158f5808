# frozen_string_literal: true

require_relative "scheduler_case"
require "zlib"

# Which of core's blocking operations run in their fiber, and what becomes of those that do not.
# Ruby 3.4 asks the scheduler for each.
module SchedulerOperationsSuite
  Boom = Class.new(StandardError)
  PART = Random.new(4).bytes(50_000).unpack1("H*").freeze
  TEXT = Random.new(3).bytes(600_000).unpack1("H*").freeze

  def setup
    super
    skip("Ruby before 3.4 does not ask") if RUBY_VERSION < "3.4"
  end

  CHEAP = [
    ->(dir) { File.stat(dir) }, ->(dir) { File.exist?("#{dir}/file") },
    ->(dir) { File.lstat("#{dir}/link") },
    ->(dir) { File.readable?("#{dir}/file") }, ->(dir) { File.readlink("#{dir}/link") },
    ->(dir) { File.realpath("#{dir}/link") },
    ->(dir) { Dir.children(dir) }, ->(dir) { Dir.glob("#{dir}/*") }, ->(dir) { Dir.exist?(dir) },
    ->(dir) { File.read("#{dir}/file") },
    ->(dir) { File.write("#{dir}/new", "text") },
    ->(dir) { File.rename("#{dir}/new", "#{dir}/newer") }, ->(dir) { File.unlink("#{dir}/newer") },
    ->(dir) { File.open("#{dir}/file", "a") { |file| file.chmod(0o600) } },
    ->(dir) { File.foreach("#{dir}/file").to_a }
  ].freeze

  # No thread, no wake-up, no switch: not one system call more than without a scheduler, but for a
  # look at what is opened.
  def test_calls_on_files_run_in_their_fiber
    in_folder do |dir|
      File.write("#{dir}/file", "text\n" * 800)
      File.symlink("file", "#{dir}/link")
      in_run do |scheduler|
        CHEAP.each { |call| call.call(dir) }
        threads = Thread.list
        before = scheduler.stats
        20.times { CHEAP.each { |call| call.call(dir) } }
        after = scheduler.stats
        assert_equal before.slice(:switches, :sleeps, :waits, :injected, :wakes),
          after.slice(:switches, :sleeps, :waits, :injected, :wakes)
        assert_equal threads, Thread.list
        assert_equal [0], after[:operations].values.map { |one| one[:elsewhere] }.uniq
        assert_operator after[:operations].fetch("File.stat")[:here], :>=, 20
        assert_equal :here, after[:operations].fetch("open")[:place]
      end
    end
  end

  # -- FIFOs

  def test_more_fifos_than_threads
    in_folder do |dir|
      names = Array.new(40) { |i| "#{dir}/#{i}".tap { |name| File.mkfifo(name) } }
      in_run do |scheduler|
        texts = {}
        readers = names.map { |name| Fiber.schedule { texts[name] = File.read(name) } }
        assert_equal File.binread(__FILE__), File.read(__FILE__)
        assert_equal "text", Zlib.inflate(Zlib.deflate("text"))
        settle { running(scheduler, :waiting) == 40 }
        names.each { |name| Fiber.schedule { File.write(name, "text of #{name}") } }
        settle { readers.none?(&:alive?) }
        assert_equal names.to_h { |name| [name, "text of #{name}"] }, texts
        assert_equal 0, running(scheduler, :waiting)
      end
    end
  end

  def test_opening_a_fifo_ends_with_a_time_limit
    in_folder do |dir|
      File.mkfifo("#{dir}/fifo")
      in_run do
        3.times do
          assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.01) { File.read("#{dir}/fifo") } }
        end
        assert_raises(Timeout::Error) { Timeout.timeout(0.01) { File.open("#{dir}/fifo", "w") } }
        assert_raises(Raffia::TimeoutError) do
          Raffia.timeout(0.01) { IO.copy_stream("#{dir}/fifo", "#{dir}/copy") }
        end
        Fiber.schedule { File.write("#{dir}/fifo", "text") }
        assert_equal "text", File.read("#{dir}/fifo")
      end
    end
  end

  # An open that succeeds while its fiber is being interrupted has no owner to close it.
  def test_opens_that_are_interrupted_leave_no_descriptor
    in_folder do |dir|
      File.mkfifo("#{dir}/fifo")
      in_run do |scheduler|
        20.times do |i|
          reader = Fiber.schedule do
            File.read("#{dir}/fifo")
          rescue Boom
            nil
          end
          writer = Fiber.schedule do
            Timeout.timeout(0.05) { File.write("#{dir}/fifo", "x") }
          rescue
            nil
          end # standard:disable Style/RescueModifier
          sleep(0) if i.odd?
          scheduler.fiber_interrupt(reader, Boom.new)
          settle { !reader.alive? && !writer.alive? }
        end
      end
    end
  end

  def test_a_signal_ends_the_process_while_a_file_is_opened
    script = <<~RUBY
      require "raffia"
      require "tmpdir"
      $stdout.sync = true
      Dir.mktmpdir do |dir|
        File.mkfifo("\#{dir}/fifo")
        Raffia.run do |scope|
          3.times { scope.spawn { File.read("\#{dir}/fifo") } }
          puts "ready"
          sleep
        end
      end
    RUBY
    out, status = ruby(script, signals: [["ready", :TERM]])
    assert_equal ["", ::Signal.list["TERM"]], [out, status.termsig]
  end

  # -- computations

  def test_zlib_in_many_fibers
    in_run do |scheduler|
      small = Zlib.deflate(TEXT)
      backs = []
      fibers = Array.new(12) { Fiber.schedule { backs << Zlib.inflate(Zlib.deflate(TEXT)) } }
      settle { fibers.none?(&:alive?) }
      assert_equal [true], backs.map { |back| back == TEXT }.uniq
      assert_equal small, Zlib.deflate(TEXT)
      compute = scheduler.stats[:blocking][:ruby][:compute]
      assert_equal [0, 0], compute.values_at(:queued, :running) if compute
      assert_operator compute[:done], :>, 24
    end
  end

  def test_short_computations_come_back_to_their_fiber
    in_run do |scheduler|
      400.times { |i| assert_equal "text #{i}", Zlib.inflate(Zlib.deflate("text #{i}")) }
      zlib = scheduler.stats[:operations].find { |name, _| name.start_with?("Zlib") }.last
      assert_operator zlib[:here], :>, 100
      assert_operator zlib[:elsewhere], :>, 0
    end
  end

  def test_a_storm_of_interrupts
    random = Random.new(Minitest.seed)
    in_run do |scheduler|
      right = 0
      fibers = Array.new(6) do
        Fiber.schedule do
          10.times do
            right += 1 if Zlib.inflate(Zlib.deflate(PART)) == PART
          rescue Boom, Zlib::DataError # which deflate makes of any interrupt, in threads too
            redo
          end
        end
      end
      60.times do
        fiber = fibers.select(&:alive?).sample(random: random) or break
        scheduler.fiber_interrupt(fiber, Boom.new)
        sleep(random.rand * 0.002)
      end
      settle { fibers.none?(&:alive?) }
      assert_equal 60, right
    end
  end

  def test_a_division_that_is_long
    in_run do
      many = 7**150_000
      results = []
      fibers = Array.new(2) { Fiber.schedule { results << (many * many + 1).divmod(many) } }
      settle { fibers.none?(&:alive?) }
      assert(results.all? { |quotient, rest| quotient == many && rest == 1 })
    end
  end

  # -- threads and processes

  def test_a_fork_while_others_work
    in_folder do |dir|
      File.mkfifo("#{dir}/fifo")
      in_run do
        opening = Fiber.schedule { File.read("#{dir}/fifo") }
        deflating = Fiber.schedule { Zlib.deflate(TEXT) }
        child = fork do
          done = Raffia.run(backend: backend) do
            Zlib.inflate(Zlib.deflate(TEXT)) == TEXT && File.exist?(__FILE__)
          end
          GC.start
          exit!(done ? 7 : 1)
        end
        assert_equal 7, ::Process.wait2(child).last.exitstatus
        File.write("#{dir}/fifo", "text")
        settle { !opening.alive? && !deflating.alive? }
      end
    end
  end

  def test_without_threads_it_is_done_in_the_fiber
    out, = ruby(<<~RUBY)
      require "raffia"
      require "zlib"
      def Thread.new(*) = raise(ThreadError, "no more")
      Raffia.run { puts Zlib.inflate(Zlib.deflate("text" * 100_000)).bytesize }
    RUBY
    assert_equal "400000\n", out
  end

  # A thread that could not be started is not counted: later calls get others.
  def test_without_stacks_for_a_while
    out, = ruby(<<~RUBY)
      require "raffia"
      require "zlib"
      lack = Module.new do
        def new(*, **options, &)
          (options[:blocking] && $lack) ? raise(FiberError, "no stack") : super
        end
      end
      Fiber.singleton_class.prepend(lack)
      $lack = true
      Raffia.run(backend: :#{backend}) do
        20.times { Zlib.deflate("text" * 100_000) }
        $lack = false
        puts Zlib.inflate(Zlib.deflate("text" * 100_000)).bytesize
        puts Fiber.scheduler.stats[:blocking][:ruby][:compute][:threads]
      end
    RUBY
    assert_match(/\A400000\n[1-9]\n\z/, out)
  end

  # The policy opens a file of its own first, to know core's function for that.
  def test_an_interrupt_in_the_first_call
    in_run do
      assert_raises(Boom) do
        Thread.handle_interrupt(Boom => :on_blocking) do
          Thread.current.raise(Boom)
          File.read(__FILE__)
        end
      end
      assert_equal File.binread(__FILE__), File.read(__FILE__)
    end
  end

  def test_threads_that_somebody_wakes_or_kills
    in_run do
      assert_equal TEXT, Zlib.inflate(Zlib.deflate(TEXT))
      workers = operation_threads
      assert_operator workers.size, :>, 0
      workers.each(&:wakeup)
      assert_equal TEXT, Zlib.inflate(Zlib.deflate(TEXT))
      workers.each(&:kill).each(&:join)
      assert_equal TEXT, Zlib.inflate(Zlib.deflate(TEXT))
    end
  end

  # The call that it runs ends, and its fiber hears of that.
  def test_a_thread_that_is_killed_while_it_works
    in_folder do |dir|
      File.mkfifo("#{dir}/fifo")
      in_run do |scheduler|
        text = nil
        reader = Fiber.schedule { text = File.read("#{dir}/fifo") }
        3.times do
          settle { running(scheduler, :waiting) == 1 }
          operation_threads.each(&:kill).each(&:join)
        end
        settle { running(scheduler, :waiting) == 1 }
        File.write("#{dir}/fifo", "text")
        settle { !reader.alive? }
        assert_equal "text", text
      end
    end
  end

  # Others take the place of threads that were killed, also of those that had not begun.
  def test_calls_in_the_queue_of_threads_that_are_killed
    out, = ruby(<<~RUBY)
      require "raffia"
      require "zlib"
      left = 3
      Thread.singleton_class.prepend(Module.new do
        define_method(:new) do |*rest, &block|
          super(*rest, &block).tap { |thread| thread.kill if (left -= 1) >= 0 }
        end
      end)
      text = Random.new(3).bytes(3_000_000)
      Raffia.run(backend: :#{backend}) do |scope|
        tasks = Array.new(6) { scope.spawn { Zlib.inflate(Zlib.deflate(text)) == text } }
        3.times do
          sleep(0.01)
          Thread.list.each { |thread| thread.kill if thread.name == "raffia operations" }
        end
        Raffia.timeout(50) { p tasks.map(&:value).uniq }
        stats = Fiber.scheduler.stats[:blocking][:ruby][:compute]
        p stats[:threads] <= stats[:limit]
      end
    RUBY
    assert_equal "[true]\ntrue\n", out
  end

  def test_garbage_is_collected_meanwhile
    in_run do
      fibers = Array.new(4) do
        Fiber.schedule { 3.times { assert_equal TEXT, Zlib.inflate(Zlib.deflate(TEXT)) } }
      end
      5.times { GC.start && sleep(0) }
      GC.compact if GC.respond_to?(:compact)
      settle { fibers.none?(&:alive?) }
    end
  end

  private

  def in_folder(&) = Dir.mktmpdir("raffia-operations", &)

  def in_run(&block)
    in_thread { Raffia.run(backend: backend) { block.call(Fiber.scheduler) } }
  end

  def operation_threads
    Thread.list.select { |thread| thread.name == "raffia operations" }
  end

  def running(scheduler, kind) = scheduler.stats[:blocking][:ruby].dig(kind, :running) || 0
end

SchedulerCase.run(SchedulerOperationsSuite)
