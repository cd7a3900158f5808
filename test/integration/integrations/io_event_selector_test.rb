# frozen_string_literal: true

require_relative "io_event_case"

# The selector's behaviour that schedulers rely on, without a scheduler.
module IOEventSelectorSuite
  AGAIN = -Errno::EAGAIN::Errno
  INVALID = -Errno::EINVAL::Errno

  def test_it_belongs_to_its_loop
    assert_same Fiber.current, selector.loop
    assert_equal backend, selector.backend
    assert_match(/ #{backend}>/, selector.inspect)
  end

  def test_the_loop_does_not_leave_itself
    assert_nil selector.transfer
    reader, = pipe
    assert_equal false, selector.io_wait(Fiber.current, reader, IO::READABLE)
    assert_equal 0, selector.select(0)
  end

  # -- turns

  def test_turns_run_in_order_and_new_ones_wait_for_the_next_select
    order = []
    later = Fiber.new { order << :later }
    first = Fiber.new do
      order << :first
      selector.push(later)
    end
    [first, Fiber.new { order << :second }].each { |fiber| selector.push(fiber) }
    assert_predicate selector, :ready?
    selector.select(0)
    assert_equal %i[first second], order
    selector.select(0)
    assert_equal %i[first second later], order
    refute_predicate selector, :ready?
  end

  def test_the_turn_of_an_ended_fiber_is_skipped
    fiber = Fiber.new { nil }
    2.times { selector.push(fiber) }
    assert_equal 0, selector.select(nil)
    refute_predicate selector, :ready?
    selector.push(fiber)
    assert_nil selector.resume(fiber)
    selector.select(nil)
  end

  def test_resume_and_yield_pass_arguments_and_return
    order = []
    child = Fiber.new do |word|
      order << word
      selector.yield
      order << :child
    end
    start do
      selector.resume(child, :resumed)
      order << :parent
    end
    turn_until { order.size == 3 }
    assert_equal %i[resumed parent child], order
  end

  def test_a_fiber_that_is_resumed_early_loses_its_turn
    resumed = 0
    fiber = start do
      selector.yield
      resumed += 1
      selector.transfer
      resumed += 10
    end
    fiber.transfer
    3.times { selector.select(0) }
    assert_equal 1, resumed
  end

  def test_raise_acts_at_once_and_the_caller_continues
    order = []
    struck = start do
      selector.transfer
    rescue ArgumentError => error
      order << error.message
    end
    start do
      selector.raise(struck, ArgumentError, "stop")
      order << :caller
    end
    turn_until { order.size == 2 }
    assert_equal ["stop", :caller], order
  end

  def test_an_error_of_a_fiber_leaves_the_others_their_turns
    ran = []
    selector.push(Fiber.new { raise "out" })
    selector.push(Fiber.new { ran << :next })
    assert_raises(RuntimeError) { selector.select(0) }
    selector.select(0)
    assert_equal [:next], ran
  end

  # -- waiting

  def test_waits_return_the_events
    reader, writer = pipe
    came = []
    start { came << selector.io_wait(Fiber.current, reader, IO::READABLE | IO::PRIORITY) }
    start { came << selector.io_wait(Fiber.current, writer, IO::WRITABLE) }
    assert_equal 1, selector.select(1)
    assert_equal [IO::WRITABLE], came
    writer << "x"
    assert_equal 1, selector.select(1)
    assert_equal [IO::WRITABLE, IO::READABLE], came
  end

  def test_a_wait_that_others_resume_ends
    reader, writer = pipe
    results = []
    fiber = start do
      results << selector.io_wait(Fiber.current, reader, IO::READABLE)
      results << selector.io_wait(Fiber.current, writer, IO::PRIORITY)
    end
    fiber.transfer
    writer << "x"
    3.times { selector.select(0) }
    assert_equal [false], results
    fiber.transfer
    assert_equal [false, false], results
  end

  def test_late_completions_resume_no_fiber
    reader, writer = pipe
    other, = pipe
    came = []
    # Both are ready in the same turn. The first raises in the other, which then waits for another
    # event.
    fibers = Array.new(2) do |index|
      start do
        came << selector.io_wait(Fiber.current, reader, IO::READABLE)
        selector.raise(fibers[1 - index], IOError, "struck")
      rescue IOError
        came << selector.io_wait(Fiber.current, other, IO::READABLE)
      end
    end
    writer << "x"
    5.times { selector.select(0) }
    assert_equal [IO::READABLE], came
    assert_equal 1, fibers.count(&:alive?)
  end

  def test_bad_arguments
    reader, = pipe
    assert_raises(SystemCallError) { selector.io_wait(Fiber.current, reader, 0) }
    assert_raises(TypeError) { selector.select("soon") }
    closed, = pipe
    closed.close
    assert_raises(IOError) { selector.io_wait(Fiber.current, closed, IO::READABLE) }
    assert_raises(Raffia::ConfigError) do
      IO::Event::Selector::Raffia.new(Fiber.current, backend: :windmill)
    end
  end

  def test_waiting_allocates_no_objects
    skip "the engine in Ruby makes some" if backend == :select
    reader, writer = pipe
    writer << "x"
    made = nil
    start do
      me = Fiber.current
      10.times { selector.io_wait(me, reader, IO::READABLE) }
      before = GC.stat(:total_allocated_objects)
      100.times { selector.io_wait(me, reader, IO::READABLE) }
      made = GC.stat(:total_allocated_objects) - before
    end
    turn_until { made }
    assert_operator made, :<, 10
  end

  # -- transfers

  def test_reading
    reader, writer = pipe
    with_buffer(8) do |buffer|
      me = Fiber.current
      assert_equal AGAIN, selector.io_read(me, reader, buffer, 0)
      writer << "abc"
      assert_equal 3, selector.io_read(me, reader, buffer, 0, 2)
      assert_equal "abc", buffer.get_string(2, 3)
      assert_equal 0, selector.io_read(me, reader, buffer, 1, 8)
      assert_equal INVALID, selector.io_read(me, reader, buffer, 1, 9)
      writer.close
      assert_equal 0, selector.io_read(me, reader, buffer, 1)
    end
  end

  def test_reading_at_least
    reader, writer = pipe
    with_buffer(8) do |buffer|
      count = nil
      start { count = selector.io_read(Fiber.current, reader, buffer, 6) }
      writer << "abc"
      3.times { selector.select(0) }
      assert_nil count
      writer << "def"
      turn_until { count }
      assert_equal [6, "abcdef"], [count, buffer.get_string(0, 6)]
    end
  end

  def test_transferred_bytes_are_reported_before_the_end
    reader, writer = pipe
    with_buffer(8) do |buffer|
      count = nil
      start { count = selector.io_read(Fiber.current, reader, buffer, 6) }
      writer << "abc"
      writer.close
      turn_until { count }
      assert_equal 3, count
    end
  end

  def test_writing_waits_for_room
    reader, writer = pipe
    with_buffer(1 << 20) do |buffer|
      counts = []
      start do
        counts << selector.io_write(Fiber.current, writer, buffer, buffer.size)
        writer.close
      end
      read = 0
      wait_until do
        selector.select(0)
        bytes = reader.read_nonblock(1 << 16, exception: false)
        read += bytes.bytesize if bytes.is_a?(String)
        bytes.nil?
      end
      assert_equal [[1 << 20], 1 << 20], [counts, read]
    end
  end

  def test_writing_without_a_reader
    reader, writer = pipe
    reader.close
    with_buffer(8) do |buffer|
      assert_equal(-Errno::EPIPE::Errno, selector.io_write(Fiber.current, writer, buffer, 8))
      assert_equal(-Errno::EBADF::Errno, selector.io_read(Fiber.current, writer, buffer, 8))
      assert_equal INVALID, selector.io_write(Fiber.current, writer, buffer, 1, 9)
    end
  end

  def test_files
    Tempfile.create("raffia") do |file|
      with_buffer(8) do |buffer|
        buffer.set_string("abcdefgh")
        results = []
        start do
          me = Fiber.current
          results << selector.io_write(me, file, buffer, 8) <<
            selector.io_pwrite(me, file, buffer, 4, 2, 6)
          file.rewind
          results << selector.io_read(me, file, buffer, 8) << buffer.get_string
          results << selector.io_pread(me, file, buffer, 4, 2, 6) << buffer.get_string
          results << selector.io_pread(me, file, buffer, 0, 1, 9) <<
            selector.io_pwrite(me, file, buffer, 0, 1, 8)
        end
        turn_until { results.size == 8 }
        assert_equal [8, 2, 8, "abcdghgh", 2, "abcdghgh", INVALID, 0], results
      end
    end
  end

  # The pages are not in memory, so the ring reads them, or the thread waits. An exception comes
  # after the kernel has finished.
  def test_interrupted_reads_of_cold_files
    Tempfile.create("raffia") do |file|
      file.write("x" * (1 << 20))
      file.fdatasync
      with_buffer(1 << 20) do |buffer|
        8.times do
          file.advise(:dontneed)
          ended = nil
          fiber = start do
            ended = selector.io_pread(Fiber.current, file, buffer, 0, buffer.size, 0)
          rescue IOError => error
            ended = error
          end
          fiber.raise(IOError, "struck") if fiber.alive?
          turn_until { ended }
          refute_predicate buffer, :locked?
          assert_kind_of IOError, ended unless ended == buffer.size
        end
      end
    end
  end

  # -- processes

  def test_children
    statuses = []
    start do
      pid = spawn("exit 3")
      statuses << selector.process_wait(Fiber.current, pid, 0)
      # The child no longer exists.
      statuses << selector.process_wait(Fiber.current, pid, 0)
    end
    turn_until { statuses.size == 2 }
    assert_equal 3, statuses.first.exitstatus
    assert_equal(-1, statuses.last.pid)
  end

  def test_any_child_of_a_group
    statuses = []
    pid = spawn("sleep 0.01; exit 4", pgroup: true)
    assert_nil selector.process_wait(Fiber.current, -pid, Process::WNOHANG)
    start { statuses << selector.process_wait(Fiber.current, -pid, 0) }
    turn_until { statuses.any? }
    assert_equal [pid, 4], [statuses.first.pid, statuses.first.exitstatus]
  end

  def test_an_interrupted_wait_leaves_the_childs_status_to_others
    reader, writer = pipe
    pids = [spawn("cat", in: reader), spawn("cat", in: reader, pgroup: true)]
    errors = []
    fibers = [pids[0], -pids[1]].map do |pid|
      start do
        selector.process_wait(Fiber.current, pid, 0)
      rescue IOError => error
        errors << error.message
      end
    end
    selector.select(0)
    fibers.each { |fiber| fiber.raise(IOError, "struck") }
    [reader, writer].each(&:close)
    2.times { selector.select(0) }
    assert_equal %w[struck struck], errors
    assert_equal pids, pids.map { |pid| Process.wait(pid) }
  end

  # -- other threads, signals, forks, the end

  def test_wakeup
    assert_equal false, selector.wakeup
    assert_equal 0, selector.select(nil) # what came before the sleep is not overslept
    woken = nil
    thread = Thread.new { wait_until { woken = selector.wakeup } }
    selector.select(nil) until woken
    thread.join
    assert_operator selector.idle_duration, :>, 0
    selector.select(0)
    assert_equal 0.0, selector.idle_duration # rubocop:disable Lint/FloatComparison
  end

  def test_other_threads_push
    count = 0
    one = Object.new
    one.define_singleton_method(:alive?) { true }
    one.define_singleton_method(:transfer) { count += 1 }
    thread = Thread.new do
      1_000.times do
        selector.push(one)
        selector.wakeup
      end
    end
    wait_until { selector.select(1) && count == 1_000 }
    thread.join
  end

  def test_masked_interrupts_end_the_sleep
    slept = nil
    assert_raises(Interrupt) do
      Thread.handle_interrupt(SignalException => :never) do
        Thread.current.raise(Interrupt)
        slept = selector.select(nil)
      end
    end
    assert_equal 0, slept
  end

  def test_interrupts_during_the_sleep
    main = Thread.current
    thread = Thread.new { wait_until { main.stop? } && main.raise(Interrupt) }
    assert_raises(Interrupt) { selector.select(nil) }
    thread.join
    assert_equal 0, selector.select(0)
  end

  def test_it_is_closed_in_a_forked_child
    reader, writer = pipe
    came = nil
    start { came = selector.io_wait(Fiber.current, reader, IO::READABLE) }
    selector.select(0)
    pid = fork do
      closed = selector.closed? && !selector.wakeup
      selector.close
      exit!(closed ? 0 : 1)
    end
    assert_predicate Process.wait2(pid).last, :success?
    refute_predicate selector, :closed?
    writer << "x"
    selector.select(1)
    assert_equal IO::READABLE, came
  end

  def test_close
    reader, = pipe
    start { selector.io_wait(Fiber.current, reader, IO::READABLE) }
    2.times { selector.close }
    assert_predicate selector, :closed?
    assert_match(/ closed>/, selector.inspect)
    assert_equal false, selector.wakeup
    assert_raises(IOError) { selector.select(0) }
    assert_raises(IOError) { selector.stats }
  end

  def test_a_fiber_closes_it_during_a_turn
    reader, writer = pipe
    2.times { start { selector.io_wait(Fiber.current, reader, IO::READABLE) && selector.close } }
    writer << "x"
    selector.select(1)
    assert_predicate selector, :closed?
  end

  def test_no_descriptors_leak
    assert_no_leaks do
      3.times { open_selector.close }
    end
  end

  def test_fibers_that_only_the_selector_holds
    readers = Array.new(50) { pipe }
    ended = 0
    readers.each do |reader, _|
      start { selector.io_wait(Fiber.current, reader, IO::READABLE) && ended += 1 }
    end
    selector.select(0)
    GC.start
    GC.compact if GC.respond_to?(:compact)
    readers.each { |_, writer| writer << "x" }
    turn_until { ended == 50 }
  end

  # Each fiber counts its events, and waits again after an exception. No event is lost or comes
  # twice.
  def test_a_storm_of_interrupts
    random = Random.new(7)
    pipes = Array.new(20) { pipe }
    got = struck = 0
    rounds = 50
    fibers = pipes.map do |reader, _|
      start do
        rounds.times do
          events = begin
            selector.io_wait(Fiber.current, reader, IO::READABLE)
          rescue Interrupt
            struck += 1
            redo
          end
          redo unless events
          got += 1
          reader.read_nonblock(1)
        end
      end
    end
    sent = Array.new(pipes.size, 0)
    wait_until(60) do
      10.times do
        index = random.rand(pipes.size)
        if random.rand < 0.5
          fibers[index].raise(Interrupt) if fibers[index].alive?
        elsif sent[index] < rounds
          pipes[index].last << "x"
          sent[index] += 1
        end
        selector.select(0) if random.rand < 0.5
      end
      fibers.none?(&:alive?)
    end
    assert_equal pipes.size * rounds, got
    assert_operator struck, :>, 0
  end

  IOEventCase.run(self)
end
