# frozen_string_literal: true

require_relative "scheduler_case"
require "pathname"

# IO.copy_stream and File#flock in fibers: what core does without asking a hook.
module SchedulerCopyStreamSuite
  Interrupted = Class.new(StandardError)
  TEXT = Random.new(2).bytes(700_001).freeze
  LIMITS = [[], [0], [10], [100_000], [900_000], [nil, 5], [20, 7], [300_000, 300_000]].freeze

  # -- the same as core's

  def test_every_kind_of_source_and_target_as_core_has_it
    in_folder do |dir|
      File.binwrite("#{dir}/source", TEXT)
      all = %i[path pathname file read_ahead].product(%i[path file appended string_io], LIMITS)
      compare(all) { |kinds| copy(dir, *kinds) }
    end
  end

  def test_streams_of_every_kind
    in_folder do |dir|
      File.binwrite("#{dir}/source", TEXT)
      all = %i[file read_ahead pipe blocking_pipe socket].product(%i[pipe blocking_pipe socket
        file], [[], [0], [10], [100_000]])
      compare(all) { |kinds| copy_between_streams(dir, *kinds) }
    end
  end

  def test_arguments_that_core_refuses
    in_folder do |dir|
      File.binwrite("#{dir}/source", "text")
      attempts = [
        -> { IO.copy_stream("#{dir}/none", "#{dir}/target") },
        -> { IO.copy_stream("#{dir}/source", "#{dir}/none/target") },
        -> { IO.copy_stream("#{dir}/source", "#{dir}/target", -1) },
        -> { IO.copy_stream("#{dir}/source") },
        -> { IO.copy_stream(File.open("#{dir}/w", "w"), "#{dir}/target") },
        -> { File.open("#{dir}/source") { |to| IO.copy_stream("#{dir}/source", to) } },
        -> {
          IO.pipe do |from, to|
            to.write("x") && to.close && IO.copy_stream(from, "#{dir}/target", 1, 1)
          end
        },
        -> { IO.copy_stream(1, 2) }, -> { IO.copy_stream("#{dir}/source", closed(dir)) },
        -> { IO.copy_stream(closed(dir), "#{dir}/target") }
      ]
      compare(attempts) { |attempt| error_of(&attempt) }
    end
  end

  def test_a_reader_that_has_left
    in_folder do |dir|
      File.binwrite("#{dir}/source", TEXT)
      on_scheduler(offload: false) do
        sockets do |one, other|
          other.close
          assert_raises(Errno::EPIPE) { IO.copy_stream("#{dir}/source", one) }
        end
      end
    end
  end

  def test_a_file_that_is_made_up_is_read_to_its_end
    skip("no /proc here") unless File.exist?("/proc/self/status")
    on_scheduler(offload: false) do
      sockets do |one, other|
        File.open("/proc/self/status") do |file|
          assert_operator IO.copy_stream(file, one), :>, 100
          assert_equal [0, ""], [IO.copy_stream(file, one), file.read]
        end
        assert_match(/^VmPeak:/, other.readpartial(10_000))
      end
    end
  end

  # The interrupt is what is raised, whatever has become of the file.
  def test_a_copy_whose_file_is_closed_and_that_is_interrupted
    in_folder do |dir|
      File.binwrite("#{dir}/source", TEXT)
      on_scheduler(offload: false) do |scheduler|
        sockets do |one, _other|
          file = File.open("#{dir}/source")
          error = nil
          copying = Fiber.schedule { error = error_of { IO.copy_stream(file, one) } }
          file.close
          scheduler.fiber_interrupt(copying, Interrupted.new)
          settle { !copying.alive? }
          assert_equal Interrupted, error.first
        end
      end
    end
  end

  def test_a_file_that_is_made_up
    skip("no /proc here") unless File.exist?("/proc/self/status")
    on_scheduler(offload: false) do
      sockets do |one, other|
        assert_operator IO.copy_stream("/proc/self/status", one), :>, 100
        assert_includes other.readpartial(100_000), "Pid:"
      end
    end
  end

  # -- waiting

  def test_it_ends_with_a_time_limit
    limits = [->(&block) { Raffia.timeout(0.02, &block) },
      ->(&block) { Timeout.timeout(0.02, &block) }]
    on_scheduler(offload: false) do
      sockets do |from, _|
        pipe do |reader, writer|
          limits.each do |limit|
            assert_raises(Raffia::TimeoutError, Timeout::Error) do
              limit.call { IO.copy_stream(from, writer) }
            end
            assert_raises(Raffia::TimeoutError, Timeout::Error) do
              limit.call { IO.copy_stream("/dev/zero", writer) }
            end
            reader.read_nonblock(1 << 20)
          end
        end
      end
    end
  end

  def test_it_ends_with_the_timeout_of_the_io
    in_folder do |dir|
      File.binwrite("#{dir}/source", TEXT * 4)
      on_scheduler(offload: false) do
        sockets do |one, _|
          one.timeout = 0.02
          assert_raises(IO::TimeoutError) { IO.copy_stream(one, "#{dir}/target") }
          assert_raises(IO::TimeoutError) { IO.copy_stream("#{dir}/source", one) }
        end
      end
    end
  end

  # Each would hold a thread, and no file could be opened any more.
  def test_stalled_copies_hold_no_thread
    in_folder do |dir|
      File.binwrite("#{dir}/source", TEXT * 4)
      on_scheduler do |scheduler|
        held = Array.new(40) { UNIXSocket.pair }
        before = Thread.list.size
        ended = 0
        fibers = held.map.with_index do |(one, _), i|
          Fiber.schedule do
            i.even? ? IO.copy_stream("#{dir}/source", one) : IO.copy_stream(one, "#{dir}/target")
          rescue Interrupted
            ended += 1
          end
        end
        assert_equal TEXT.bytesize * 4, File.binread("#{dir}/source").bytesize
        settle { scheduler.parked.count { |one| one.reason == :io } == 40 }
        assert_operator Thread.list.size, :<=, before + 8
        fibers.each { |fiber| scheduler.fiber_interrupt(fiber, Interrupted.new) }
        settle { ended == 40 }
        held.flatten.each(&:close)
      end
    end
  end

  def test_a_proxy_in_both_directions
    on_scheduler(offload: false) do
      client, near = UNIXSocket.pair
      far, service = UNIXSocket.pair
      Fiber.schedule { IO.copy_stream(near, far) && far.close_write }
      Fiber.schedule { IO.copy_stream(far, near) && near.close_write }
      Fiber.schedule { service.write(service.read.reverse) && service.close }
      client.write(TEXT)
      client.close_write
      assert(client.read == TEXT.reverse)
      [client, near, far].each(&:close)
    end
  end

  # The peer takes all that it is given, so the copy never has to wait.
  def test_a_fast_copy_lets_the_others_run
    in_folder do |dir|
      File.open("#{dir}/source", "wb") { |file| file.truncate(64 << 20) }
      on_scheduler(offload: false) do
        sockets do |one, other|
          drain = ::Process.spawn("cat", in: other, out: File::NULL)
          turns = 0
          copy = Fiber.schedule { IO.copy_stream("#{dir}/source", one) && one.shutdown }
          turns += 1 while copy.alive? && sleep(0)
          ::Process.wait(drain)
          assert_operator turns, :>=, 16
        end
      end
    end
  end

  def test_a_large_file_to_a_file_goes_in_pieces
    in_folder do |dir|
      File.open("#{dir}/source", "wb") do |file|
        file.truncate(40 << 20) && file.pwrite("end", (40 << 20) - 3)
      end
      on_scheduler do
        assert_equal 40 << 20, IO.copy_stream("#{dir}/source", "#{dir}/target")
        assert_equal "\0\0end", File.binread("#{dir}/target", 5, (40 << 20) - 5)
        assert_equal 40 << 20, File.size("#{dir}/target")
        File.open("#{dir}/source") do |from|
          assert_equal (20 << 20) + 1, IO.copy_stream(from, "#{dir}/target", (20 << 20) + 1) &&
            from.pos
        end
      end
    end
  end

  def test_a_signal_ends_it
    out, status = ruby(<<~RUBY, signals: [["ready", :TERM]])
      require "raffia"
      require "socket"
      $stdout.sync = true
      Raffia.run do |scope|
        pairs = Array.new(2) { UNIXSocket.pair }
        scope.spawn { IO.copy_stream(pairs[0][0], pairs[1][0]) }
        puts "ready"
        sleep
      end
    RUBY
    assert_equal ["", ::Signal.list["TERM"]], [out, status.termsig]
  end

  # -- locks

  def test_a_lock_that_another_fiber_holds
    in_folder do |dir|
      on_scheduler(offload: false) do
        first = File.open("#{dir}/lock", "w")
        second = File.open("#{dir}/lock", "w")
        taken = []
        assert_equal 0, first.flock(File::LOCK_EX)
        waits = Fiber.schedule { taken << second.flock(File::LOCK_EX) }
        assert_equal false,
          File.open("#{dir}/lock") { |third| third.flock(File::LOCK_SH | File::LOCK_NB) }
        assert_empty taken
        assert_equal 0, first.flock(File::LOCK_UN)
        settle { !waits.alive? }
        assert_equal [0], taken
        assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.02) { first.flock(File::LOCK_SH) } }
        [first, second].each(&:close)
        assert_raises(IOError) { first.flock(File::LOCK_EX) }
      end
    end
  end

  def test_a_file_that_is_closed_while_it_waits_for_a_lock
    in_folder do |dir|
      on_scheduler(offload: false) do
        first = File.open("#{dir}/lock", "w")
        second = File.open("#{dir}/lock", "w")
        first.flock(File::LOCK_EX)
        error = nil
        waits = Fiber.schedule { error = error_of { second.flock(File::LOCK_EX) } }
        second.close
        settle { !waits.alive? }
        assert_equal IOError, error.first
        first.close
      end
    end
  end

  private

  def in_folder(&) = Dir.mktmpdir("raffia-copy", &)

  # By core, and in a fiber.
  def compare(cases, &block)
    plain = cases.map(&block)
    fiber = on_scheduler { cases.map(&block) }
    cases.zip(plain, fiber) do |kinds, one, other|
      assert(one == other, "#{kinds}: #{describe(one)} by core, #{describe(other)} in a fiber")
    end
  end

  def describe(outcome)
    outcome.to_a.map { |part|
      if part.is_a?(String) && part.bytesize > 40
        "#{part.bytesize} bytes #{part.hash}"
      else
        part.inspect
      end
    }.join(", ")
  end

  def error_of
    yield
    nil
  rescue => error
    [error.class, error.message[/\A[^@]*/]]
  end

  def closed(dir) = File.open("#{dir}/source", "r+").tap(&:close)

  # Returns the value, the content of the target, and the position of the source.
  def copy(dir, source, target, limits)
    from = source_of(dir, source)
    File.binwrite("#{dir}/target", "before ")
    to = target_of(dir, target)
    copied = IO.copy_stream(from, to, *limits)
    position = [from.pos, from.read(3)] if from.is_a?(File)
    to.close if to.is_a?(File)
    [copied, position, to.is_a?(StringIO) ? to.string : File.binread("#{dir}/target")]
  ensure
    from.close if from.is_a?(File)
  end

  def source_of(dir, kind)
    case kind
    when :path then "#{dir}/source"
    when :pathname then Pathname.new("#{dir}/source")
    when :file then File.open("#{dir}/source", "rb")
    when :read_ahead then File.open("#{dir}/source", "rb").tap { |file| file.read(3) }
    end
  end

  def target_of(dir, kind)
    case kind
    when :path then "#{dir}/target"
    when :file then File.open("#{dir}/target", "r+").tap { |file| file.write("<") }
    when :appended then File.open("#{dir}/target", "a").tap { |file| file.write("<") }
    when :string_io then StringIO.new(+"", "wb")
    end
  end

  # A thread feeds the one and drains the other.
  def copy_between_streams(dir, source, target, limits)
    from, feeder = stream_from(dir, source)
    drain, to = stream_to(dir, target)
    feeding = Thread.new { feeder.write(TEXT.byteslice(0, 200_000)) && feeder.close } if feeder
    reading = Thread.new { drain.read }
    copied = IO.copy_stream(from, to, *limits)
    to.close
    reading = Thread.new { File.binread("#{dir}/target") } unless target != :file
    [copied, reading.value, from.read.bytesize]
  ensure
    feeding&.join
    [from, drain].each(&:close)
  end

  def stream_from(dir, kind)
    case kind
    when :pipe then IO.pipe(binmode: true)
    when :blocking_pipe then IO.pipe(binmode: true).each { |io| io.nonblock = false }
    when :socket then UNIXSocket.pair
    else source_of(dir, kind)
    end
  end

  def stream_to(dir, kind)
    case kind
    when :pipe then IO.pipe(binmode: true)
    when :blocking_pipe then IO.pipe(binmode: true).each { |io| io.nonblock = false }
    when :socket then UNIXSocket.pair
    when :file then [File.open(File::NULL), File.open("#{dir}/target", "wb")]
    end
  end
end

SchedulerCase.run(SchedulerCopyStreamSuite)
