# frozen_string_literal: true

require "test_helper"
require "io/nonblock"
require "objspace"
require "socket"
require "tempfile"
require "timeout"
require "raffia/engine"

# Its thread stays for ever: not a leak of whatever test comes first.
Timeout.timeout(1) { nil }

# The first buffer of a process warns that they are experimental.
before = Warning[:experimental]
Warning[:experimental] = false
IO::Buffer.new(1).free
Warning[:experimental] = before

# The promises of each engine, on every back end. A test class of a back end includes
# this and says how to open one.
module EngineContract
  R = IO::READABLE
  W = IO::WRITABLE
  EAGAIN = -Errno::EAGAIN::Errno
  ETIME = -Errno::ETIME::Errno
  EBADF = -Errno::EBADF::Errno
  Storm = Class.new(StandardError)

  def setup
    super
    @held = TestSupport::Holdings.now
    @open = []
  end

  def teardown
    @open.reverse_each { |thing| thing.close unless thing.closed? }
    super
    wait_until(5, "something was left behind") { held_since(@held).empty? }
  end

  def engine = @engine ||= keep(open_engine)

  # Closed at the end of the test.
  def keep(*things)
    @open.concat(things)
    (things.size == 1) ? things.first : things
  end

  def pipe = keep(*IO.pipe(binmode: true))

  def sockets = keep(*UNIXSocket.pair)

  # All that has completed: [data, result], in order. Polls until there are so many.
  def completions(count, on = engine)
    all = []
    give_up = TestSupport.now + Raffia::TestCase::PATIENCE
    while all.size < count
      on.poll(0.1)
      take(on, all)
      if TestSupport.now > give_up
        flunk("#{count} completions are expected, but there are only #{all.inspect}")
      end
    end
    all
  end

  def take(on = engine, all = [])
    while (data = on.shift)
      all << [data, on.result]
    end
    all
  end

  # Completions of one poll.
  def now(on = engine)
    on.poll(0)
    take(on)
  end

  # -- descriptors

  def test_a_descriptor_that_is_ready
    reader, writer = pipe
    writer << "x"
    id = engine.arm(reader, R, :read)
    assert_kind_of Integer, id
    assert_equal [[:read, R]], completions(1)
    assert_nil engine.disarm(id), "it has completed"
    assert_equal 0, engine.pending
    engine.arm(writer, W, :write)
    assert_equal [[:write, W]], completions(1)
  end

  def test_a_descriptor_that_becomes_ready
    reader, writer = pipe
    engine.arm(reader, R, :read)
    assert_empty now
    assert_equal 1, engine.pending
    writer << "x"
    assert_equal [[:read, R]], completions(1)
    assert_empty now, "a wait ends once"
  end

  def test_it_takes_descriptors_as_numbers
    reader, writer = pipe
    writer << "x"
    engine.arm(reader.fileno, R, :read)
    engine.arm(writer.fileno, W, :write)
    assert_equal [[:read, R], [:write, W]], completions(2).sort
  end

  def test_earlier_readiness_is_found_by_the_next_wait
    reader, writer = pipe
    writer << "x"
    3.times do
      engine.arm(reader, R, :read)
      assert_equal [[:read, R]], completions(1)
    end
    reader.readpartial(1)
    engine.arm(reader, R, :read)
    assert_empty now
  end

  def test_several_wait_for_one_descriptor
    one, other = sockets
    3.times { |i| engine.arm(one, R, i) }
    engine.arm(one, W, :write)
    assert_equal [[:write, W]], completions(1)
    assert_empty now
    other << "x"
    assert_equal [[0, R], [1, R], [2, R]], completions(3).sort
  end

  def test_both_directions_at_once
    one, other = sockets
    engine.arm(one, R | W, :first)
    assert_equal [[:first, W]], completions(1)
    other << "x"
    wait_until { one.wait_readable(0) }
    engine.arm(one, R | W, :second)
    assert_equal [[:second, R | W]], completions(1)
  end

  def test_a_disarmed_wait_leaves_the_others
    one, other = sockets
    ids = Array.new(3) { |i| engine.arm(one, R, i) }
    assert_equal true, engine.disarm(ids[1])
    assert_nil engine.disarm(ids[1]), "twice"
    other << "x"
    assert_equal [[0, R], [2, R]], completions(2).sort
    assert_equal 0, engine.pending
  end

  def test_the_last_waiter_leaves_and_another_comes
    reader, writer = pipe
    20.times do
      engine.disarm(engine.arm(reader, R, :gone))
      engine.poll(0)
      engine.arm(reader, R, :here)
      writer << "x"
      assert_equal [[:here, R]], completions(1)
      reader.readpartial(1)
    end
  end

  def test_stale_ids
    reader, writer = pipe
    stale = Array.new(50) { engine.arm(reader, R, :gone) }
    stale.each { |id| engine.disarm(id) }
    fresh = Array.new(50) { |i| engine.arm(reader, R, i) }
    assert_empty stale & fresh
    stale.each { |id| assert_nil engine.disarm(id) }
    assert_equal 50, engine.pending
    writer << "x"
    assert_equal 50, completions(50).size
    [0, 1, (2**63) - 1].each { |id| assert_nil engine.disarm(id) }
  end

  def test_a_completion_that_waits_to_be_shifted_cannot_be_called_off
    reader, writer = pipe
    writer << "x"
    id = engine.arm(reader, R, :read)
    wait_until { engine.poll(0).positive? }
    assert_nil engine.disarm(id)
    assert_equal [[:read, R]], take
  end

  def test_a_hang_up_ends_every_wait
    reader, writer = pipe
    engine.arm(reader, R, :read)
    writer.close
    assert_equal [[:read, R]], completions(1)
    one, other = sockets
    other.close
    engine.arm(one, R | W, :both)
    assert_equal [[:both, R | W]], completions(1)
    reader, writer = pipe
    reader.close
    engine.arm(writer, W, :broken)
    assert_equal [[:broken, W]], completions(1)
  end

  def test_a_regular_file_is_always_ready
    file = keep(File.open(__FILE__))
    engine.arm(file, R, :file)
    assert_equal [[:file, R]], completions(1)
    assert engine.file?(file)
    assert_equal [false, false], sockets.map { |socket| engine.file?(socket) }
  end

  def test_a_descriptor_that_is_closed_and_used_again_belongs_to_the_new_one
    20.times do
      reader, writer = IO.pipe
      id = engine.arm(reader, R, :old)
      engine.disarm(id)
      [reader, writer].each(&:close)
      reader, writer = IO.pipe
      engine.arm(reader, R, :new)
      writer << "x"
      assert_equal [[:new, R]], completions(1)
      [reader, writer].each(&:close)
    end
  end

  def test_many_descriptors
    pairs = Array.new(200) { pipe }
    pairs.each_with_index { |(reader, _), i| engine.arm(reader, R, i) }
    pairs.each { |_, writer| writer << "x" }
    assert_equal (0...200).map { |i| [i, R] }, completions(200).sort
  end

  # -- time

  def test_timers_come_in_the_order_of_their_time
    [0.12, 0.04, 0.08, 0].each { |seconds| engine.after(seconds, seconds) }
    assert_equal [0, 0.04, 0.08, 0.12].map { |seconds| [seconds, ETIME] }, completions(4)
  end

  def test_timers_of_one_time_come_in_the_order_of_their_making
    50.times { |i| engine.after(0, i) }
    assert_equal (0...50).to_a, completions(50).map(&:first)
  end

  def test_a_poll_without_a_limit_ends_with_the_first_timer
    started = TestSupport.now
    engine.after(0.02, :time)
    engine.after(100, :late)
    engine.poll until engine.peek # a signal may end one
    assert_operator TestSupport.now - started, :>=, 0.02
    assert_equal [[:time, ETIME]], take
  end

  def test_a_poll_with_a_limit_waits_for_so_long
    give_up = TestSupport.now + 0.02
    polls = 0
    while TestSupport.now < give_up
      assert_equal 0, engine.poll(0.02)
      polls += 1
    end
    assert_operator polls, :<, 10, "a signal may end one, but it is to sleep"
    engine.after(100, :late)
    assert_equal 0, engine.poll(0.001)
    assert_equal 0, engine.poll(Rational(1, 1000))
    assert_equal 0, engine.poll(-1), "a time that has passed"
  end

  def test_timers_that_are_called_off
    random = Random.new(Minitest.seed)
    ids = Array.new(500) { |i| [i, engine.after(random.rand * 0.005, i)] }.shuffle(random: random)
    gone, stay = ids.partition { random.rand < 0.7 }
    gone.each { |_, id| assert_equal true, engine.disarm(id) }
    gone.each { |_, id| assert_nil engine.disarm(id) }
    assert_equal stay.size, engine.pending
    assert_equal stay.map(&:first).sort, completions(stay.size).map(&:first).sort
    assert_empty now
  end

  def test_times_that_are_past_or_far
    engine.after(-5, :past)
    far = [1e12, 1e300, Float::INFINITY, 2**70].map { |seconds| engine.after(seconds, :far) }
    assert_equal [[:past, ETIME]], completions(1)
    assert_empty now
    assert_equal [true] * 4, far.map { |id| engine.disarm(id) }
  end

  # -- completions of one's own

  def test_pushed_ones_come_in_order_behind_those_that_are_there
    engine.push(:one, 1)
    engine.push(:two, -2)
    assert_equal 2, engine.poll
    engine.push(:three, 2**40)
    assert_equal [[:one, 1], [:two, -2], [:three, 2**40]], take
    assert_nil engine.shift
  end

  def test_peek_removes_nothing
    assert_nil engine.peek
    engine.push(:one, 1)
    engine.push(:two, 2)
    3.times { assert_equal [:one, 1], [engine.peek, engine.result] }
    assert_equal 2, engine.poll, "what is there is not slept upon"
    assert_equal 2, engine.stats[:ready]
    assert_equal :one, engine.shift
    assert_equal [:two, 2], [engine.peek, engine.result]
    assert_equal [[:two, 2]], take
    assert_nil engine.peek
  end

  def test_data_may_be_anything_that_is_true
    things = [1, :a, "s", Object.new, 1.5, 2**70, true, [], BasicObject]
    things.each_with_index { |thing, i| engine.push(thing, i) }
    assert_equal things.each_with_index.to_a, take
  end

  def test_injected_ones_come_in_order
    engine.inject(:one, 1)
    engine.inject(:two, 2)
    assert_equal 2, engine.poll
    assert_equal [[:one, 1], [:two, 2]], take
  end

  def test_threads_inject_while_the_loop_sleeps_and_while_it_runs
    engine
    threads = Array.new(4) do |n|
      Thread.new { 250.times { |i| engine.inject([n, i], i) || raise("closed") } }
    end
    got = completions(1000)
    threads.each(&:join)
    4.times do |n|
      assert_equal (0...250).map { |i| [[n, i], i] }, got.select { |(who, _), _| who == n }
    end
  end

  def test_an_injection_wakes_a_sleeping_loop
    loop_thread = sleeping_thread { |on| [on.poll, take(on)] }
    assert_equal true, @shared.inject(:hello, 7)
    assert_equal [1, [[:hello, 7]]], loop_thread.value
  end

  def test_wake_ends_the_sleep
    loop_thread = sleeping_thread(&:poll)
    assert_equal true, @shared.wake
    assert_equal 0, loop_thread.value
  end

  def test_wake_before_the_sleep_ends_it
    engine.wake
    assert_equal 0, engine.poll
    engine.poll(0)
  end

  # -- transfers that do not wait, and readiness

  def test_ready
    reader, writer = pipe
    assert_equal 0, engine.ready(reader, R)
    assert_equal W, engine.ready(writer, W)
    writer << "x"
    assert_equal R, engine.ready(reader, R)
    one, = sockets
    assert_equal W, engine.ready(one, R | W)
    assert_equal EBADF, engine.ready(free_descriptor, R)
    assert_raises(IOError) { engine.ready(closed_io, R) }
  end

  def test_reading_available_bytes
    with_buffer(8) do |buffer|
      each_stream do |reader, writer, mode|
        assert_equal EAGAIN, engine.try_read(reader, buffer, 0), mode
        writer.syswrite("abc")
        assert_equal 3, engine.try_read(reader, buffer, 2), mode
        assert_equal "abc", buffer.get_string(2, 3), mode
        writer.syswrite("0123456789")
        assert_equal 8, engine.try_read(reader, buffer, 0), mode
        assert_equal 0, engine.try_read(reader, buffer, 8), "#{mode}: no room"
        assert_equal 2, engine.try_read(reader, buffer, 0), mode
        writer.close
        assert_equal 0, engine.try_read(reader, buffer, 0), "#{mode}: the end"
      end
    end
  end

  def test_writing_what_fits
    with_buffer(1 << 20) do |buffer|
      each_stream do |reader, writer, mode|
        total = 0
        until (count = engine.try_write(writer, buffer, 0)) == EAGAIN
          assert_operator count, :>, 0, mode
          total += count
        end
        assert_equal EAGAIN, engine.try_write(writer, buffer, 0), mode
        got = 0
        got += reader.readpartial(1 << 20).bytesize while got < total
        assert_equal 5, engine.try_write(writer, buffer, (1 << 20) - 5), mode
        assert_equal 5, reader.readpartial(10).bytesize, mode
        reader.close
        without_sigpipe do
          assert_equal(-Errno::EPIPE::Errno, engine.try_write(writer, buffer, 0), mode)
        end
      end
    end
  end

  def test_files
    Tempfile.create("engine") do |file|
      with_buffer(6) do |buffer|
        buffer.set_string("abcdef")
        assert_equal 6, engine.try_write(file, buffer, 0)
        assert_equal 2, engine.try_write(file, buffer, 4, 0)
        file.rewind
        buffer.clear
        assert_equal 6, engine.try_read(file, buffer, 0)
        assert_equal "efcdef", buffer.get_string
        assert_equal 0, engine.try_read(file, buffer, 0)
        assert_equal 3, engine.try_read(file, buffer, 3, 1)
        assert_equal "efcfcd", buffer.get_string
      end
    end
  end

  def test_transfers_with_bad_arguments
    reader, = pipe
    with_buffer(4) do |buffer|
      assert_raises(ArgumentError) { engine.try_read(reader, buffer, 5) }
      assert_raises(ArgumentError, RangeError) { engine.try_read(reader, buffer, -1) }
      assert_raises(IOError) { engine.try_read(closed_io, buffer, 0) }
      assert_raises(TypeError, NoMethodError) { engine.try_read(reader, "text", 0) }
    end
    IO::Buffer.for("frozen") do |buffer|
      assert_raises(IO::Buffer::AccessError) { engine.try_read(reader, buffer, 0) }
    end
  end

  def test_the_engine_in_ruby_knows_no_transfers
    assert_equal backend != :select, engine.transfers?
    assert_equal [engine.transfers?] * 3,
      %i[read write resolve].map { |name| engine.respond_to?(name) }
  end

  # -- bad arguments

  def test_bad_arguments
    reader, = pipe
    [nil, "1", :soon, Object.new].each do |time|
      assert_raises(TypeError, time.inspect) { engine.after(time, :x) }
    end
    ["1", :soon].each { |time| assert_raises(TypeError, time.inspect) { engine.poll(time) } }
    assert_match(/NaN/, assert_raises(ArgumentError) { engine.after(Float::NAN, :x) }.message)
    assert_match(/NaN/, assert_raises(ArgumentError) { engine.poll(Float::NAN) }.message)
    [0, 8, -1, 64].each do |events|
      assert_raises(Errno::EINVAL, events.inspect) { engine.arm(reader, events, :x) }
    end
    [nil, "1"].each do |events|
      assert_raises(TypeError, NoMethodError) { engine.arm(reader, events, :x) }
    end
    [nil, "1", Object.new].each do |io|
      assert_raises(TypeError, io.inspect) { engine.arm(io, R, :x) }
    end
    [-1, free_descriptor, (2**31) - 1].each { |io| assert_equal EBADF, armed(io), io.inspect }
    assert_raises(IOError) { engine.arm(closed_io, R, :x) }
    [nil, "x"].each { |id| assert_raises(TypeError, ArgumentError) { engine.disarm(id) } }
    [nil, "x"].each { |result| assert_raises(TypeError, ArgumentError) { engine.push(:x, result) } }
    [nil, "x"].each do |result|
      assert_raises(TypeError, ArgumentError) { engine.inject(:x, result) }
    end
    assert_equal 0, engine.pending
    assert_empty now
  end

  # -- its end

  def test_a_closed_engine
    reader, = pipe
    engine.arm(reader, R, :never)
    engine.after(100, :never)
    id = engine.after(100, :never)
    engine.push(:never, 1)
    engine.peek
    2.times { assert_nil engine.close }
    assert_predicate engine, :closed?
    assert_equal backend, engine.name
    assert_nil engine.shift
    assert_nil engine.peek
    assert_nil engine.disarm(id)
    assert_equal [false, false], [engine.inject(:x, 1), engine.wake]
    refusals = [-> { engine.arm(reader, R, :x) }, -> { engine.after(1, :x) },
      -> { engine.push(:x, 1) }, -> { engine.poll(0) }, -> { engine.stats }]
    refusals.each { |refusal| assert_match(/closed/, assert_raises(IOError, &refusal).message) }
  end

  def test_injections_into_one_that_is_being_closed
    20.times do
      closing = open_engine
      threads = Array.new(2) { Thread.new { Thread.pass while closing.inject(:x, 1) } }
      wait_until { closing.poll(0).positive? }
      closing.close
      threads.each(&:join)
    end
  end

  def test_stats
    reader, writer = pipe
    writer << "x"
    engine.arm(reader, R, :read)
    engine.after(100, :late)
    wait_until { engine.poll(0.01).positive? }
    stats = engine.stats
    assert_operator stats[:polls], :>=, 1
    assert_equal [1, 1, 1], stats.values_at(:completed, :pending, :ready)
  end

  # -- fork

  def test_a_forked_child_finds_it_closed_and_the_parents_still_works
    reader, writer = pipe
    engine.arm(reader, R, :read)
    engine.after(100, :late)
    engine.push(:pushed, 1)
    said = in_child do
      [engine.closed?, engine.shift, engine.peek, engine.inject(:x, 1), engine.wake,
        engine.disarm(1),
        [-> { engine.arm(reader, R, :x) }, -> { engine.after(1, :x) }, -> { engine.push(:x, 1) },
          -> { engine.poll }].map { |refusal| refused(&refusal) },
        GC.start, engine.close, engine.close, engine.closed?, child_own_engine]
    end
    assert_equal [true, nil, nil, false, false, nil, [IOError] * 4, nil, nil, nil, true,
      [[:mine, 1], [:time, ETIME]]], said
    assert_equal [[:pushed, 1]], take
    writer << "x"
    assert_equal [[:read, R]], completions(1)
    assert_equal 1, engine.pending
  end

  def test_fork_while_another_thread_sleeps_in_it
    sleeper = sleeping_thread { |on| [on.poll, take(on)] }
    assert_equal [true, false, nil], in_child {
      [@shared.closed?, @shared.inject(:x, 1),
        @shared.close]
    }
    @shared.inject(:hello, 1)
    assert_equal [1, [[:hello, 1]]], sleeper.value
  end

  # -- garbage collection

  def test_data_that_only_the_engine_holds
    reader, writer = pipe
    30.times { |i| engine.arm(reader, R, "armed #{i}") }
    30.times { |i| engine.after(0.001 * i, "timer #{i}") }
    30.times { |i| engine.push("pushed #{i}", i) }
    30.times { |i| engine.inject("injected #{i}", i) }
    move_everything
    engine.peek
    move_everything
    writer << "x"
    expected = %w[armed timer pushed injected].flat_map do |kind|
      Array.new(30) { |i| "#{kind} #{i}" }
    end
    assert_equal expected.sort, completions(120).map(&:first).sort
  end

  def test_under_a_stressed_collector
    reader, writer = pipe
    writer << "x"
    got = stressed do
      ids = Array.new(3) { |i| engine.after(100, "gone #{i}") }
      engine.arm(reader, R, "armed #{1 + 1}")
      engine.push("pushed #{1 + 1}", 1)
      engine.inject("injected #{1 + 1}", 1)
      ids.each { |id| engine.disarm(id) }
      completions(3)
    end
    assert_equal ["armed 2", "injected 2", "pushed 2"], got.map(&:first).sort
  end

  def test_engines_that_are_forgotten_are_closed_by_the_collector
    20.times { open_engine.after(100, :x) }
    wait_until do
      GC.start
      held_since(@held).empty?
    end
  end

  def test_it_tells_its_size
    before = ObjectSpace.memsize_of(engine)
    assert_operator before, :>, 0
  end

  # -- interrupts

  def test_an_interrupt_ends_the_sleep
    thread = sleeping_thread do |on|
      on.poll
    rescue Storm
      on.after(0, :after)
      completions(1, on)
    end
    thread.raise(Storm)
    assert_equal [[:after, ETIME]], thread.value
  end

  def test_kill_ends_the_sleep
    thread = sleeping_thread(&:poll)
    thread.kill
    assert thread.join(Raffia::TestCase::PATIENCE)
    assert_predicate @shared, :closed?
  end

  def test_a_timeout_of_another_thread_ends_the_sleep
    engine
    assert_raises(Timeout::Error) { Timeout.timeout(0.02) { engine.poll } }
    assert_empty now
  end

  def test_a_signal_is_handled_while_it_sleeps
    seen = []
    previous = trap(:USR1) do
      seen << :signal
      engine.push(:from_the_handler, 1)
    end
    engine
    main = Thread.current
    sender = Thread.new do
      Thread.pass until main.stop?
      ::Process.kill(:USR1, ::Process.pid)
    end
    engine.poll
    assert_equal [[:from_the_handler, 1]], take
    assert_equal [:signal], seen
  ensure
    sender&.join
    trap(:USR1, previous || "DEFAULT")
  end

  # Completions are read the way the scheduler does it: looked at, used, and then taken away.
  def test_interrupts_lose_no_completion
    got = {}
    thread = sleeping_thread { |on| survive { weather(on, got) } }
    sender = Thread.new do
      1000.times { |i| @shared.inject([:injected, i], i) }
    end
    begin
      until thread.join(0.0005)
        thread.raise(Storm)
        Thread.pass
      end
    rescue Storm
      refute_predicate thread, :alive?, "it came when all was over"
    end
    sender.join
    expected = (0...1000).map { |i| [:injected, i] } +
      (0...300).flat_map { |i| [[:timer, i], [:pipe, i]] }
    assert_empty expected - got.keys, "lost"
  end

  private

  def weather(on, got)
    @rounds ||= (0...300).to_a
    while (round = @rounds.first) || got.size < 1600
      if round
        @reader, @writer = pipe unless @writer&.closed? == false
        on.arm(@writer, W, [:pipe, round])
        on.after(0.0001, [:timer, round])
        @rounds.shift
      end
      on.poll(0.001)
      while (data = on.peek)
        got[data] = true
        on.shift if on.peek.equal?(data)
      end
    end
  end

  def survive
    yield
  rescue Storm
    retry
  end

  # It may be the kernel that says so.
  def armed(io)
    engine.arm(io, R, :x)
    completions(1).first.last
  rescue SystemCallError => error
    -error.errno
  end

  # A thread with an engine of its own (@shared), which sleeps when this returns.
  def sleeping_thread
    ready = Thread::Queue.new
    thread = Thread.new do
      Thread.current.report_on_exception = false
      ready << (own = open_engine)
      yield own
    ensure
      survive { own.close }
    end
    @shared = ready.pop
    wait_until { thread.stop? }
    thread
  end

  def closed_io = IO.pipe.each(&:close).first

  def free_descriptor
    reader, writer = IO.pipe
    [reader, writer].map(&:fileno).max
  ensure
    [reader, writer].each(&:close)
  end

  def with_buffer(size)
    buffer = IO::Buffer.new(size)
    yield buffer
  ensure
    buffer.free
  end

  # Pipes and sockets, with O_NONBLOCK and without.
  def each_stream
    [true, false].each do |nonblock|
      {pipe: pipe, socket: sockets}.each do |kind, (reader, writer)|
        [reader, writer].each { |io| io.nonblock = nonblock }
        yield reader, writer, "#{kind}, nonblock #{nonblock}"
      end
    end
  end

  def without_sigpipe
    previous = trap(:PIPE, "IGNORE")
    yield
  ensure
    trap(:PIPE, previous || "DEFAULT")
  end

  def in_child
    reader, writer = IO.pipe(binmode: true)
    pid = fork do
      reader.close
      writer.write(Marshal.dump(yield))
    rescue Exception => error # rubocop:disable Lint/RescueException
      writer.write(Marshal.dump(error.full_message(highlight: false)))
    ensure
      writer.close
      exit!(0)
    end
    writer.close
    Marshal.load(reader.read)
  ensure
    reader.close
    ::Process.wait(pid)
  end

  def refused
    yield
  rescue => error
    error.class
  end

  def child_own_engine
    own = open_engine
    own.push(:mine, 1)
    own.after(0.001, :time)
    completions(2, own)
  ensure
    own.close
  end

  def move_everything
    GC.verify_compaction_references(expand_heap: true, toward: :empty)
  rescue NotImplementedError
    GC.start
  end

  def stressed
    GC.stress = true
    yield
  ensure
    GC.stress = false
  end
end
