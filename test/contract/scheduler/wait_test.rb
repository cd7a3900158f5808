# frozen_string_literal: true

require_relative "scheduler_case"
require "monitor"

# Sleep, block and unblock, time limits, interrupts, fairness.
module SchedulerWaitSuite
  Boom = Class.new(StandardError)
  ETIME = -Errno::ETIME::Errno

  # -- sleep

  def test_sleep
    on_scheduler do
      order = []
      [0.2, 0.05, 0, 0.1].each { |seconds| Fiber.schedule { sleep(seconds) && order << seconds } }
      settle { order.size == 4 }
      assert_equal [0, 0.05, 0.1, 0.2], order
      started = TestSupport.now
      assert_kind_of Integer, sleep(0.01)
      assert_operator TestSupport.now - started, :>=, 0.01
      assert_kind_of Integer, sleep(1/1000r)
    end
  end

  def test_sleep_refuses_invalid_times
    on_scheduler do
      assert_raises(ArgumentError) { sleep(-1) }
      assert_raises(ArgumentError) { sleep(Float::NAN) }
      ["1", :x, Object.new].each { |time| assert_raises(TypeError) { sleep(time) } }
      duration = Data.define(:seconds) { def divmod(other) = seconds.divmod(other) }
      assert_kind_of Integer, sleep(duration.new(0.001))
    end
  end

  def test_an_endless_sleep_ends_with_an_interrupt
    on_scheduler do |scheduler|
      seen = nil
      sleeper = Fiber.schedule do
        sleep
      rescue Boom => error
        seen = error
      end
      scheduler.fiber_interrupt(sleeper, boom = Boom.new)
      settle { seen }
      assert_same boom, seen
    end
  end

  # -- block and unblock

  def test_a_permit_comes_before_the_block
    on_scheduler do |scheduler|
      scheduler.unblock(:x, Fiber.current)
      assert_equal true, scheduler.block(:x)
      assert_equal false, scheduler.block(:x, 0.001), "a permit is for one"
      thread = Thread.new(Fiber.current) { |fiber| scheduler.unblock(:x, fiber) }
      Thread.pass while thread.alive? # to join it would take the permit
      assert_equal true, scheduler.block(:x, 100)
    end
  end

  def test_block_with_a_time_limit
    on_scheduler do |scheduler|
      assert_equal false, scheduler.block(:x, 0.001)
      assert_equal false, scheduler.block(:x, 0)
      fiber = Fiber.current
      Fiber.schedule { scheduler.unblock(:x, fiber) }
      assert_equal true, scheduler.block(:x, 100)
      assert_equal 0, scheduler.stats[:pending]
    end
  end

  def test_unblock_of_a_fiber_that_does_not_wait
    on_scheduler do |scheduler|
      scheduler.unblock(:x, Fiber.schedule {})
      other = Fiber.schedule { sleep(0.002) }
      scheduler.unblock(:x, other)
      settle { !other.alive? }
    end
  end

  # The lock of autoload has no class, and not one method.
  def test_autoload_and_require_from_several_fibers
    Dir.mktmpdir do |dir|
      File.write("#{dir}/slow_part_#{backend}.rb",
        "sleep 0.002\nmodule SchedulerWaitSuite; PART_#{backend.upcase} = 7; end\n")
      File.write("#{dir}/slow_file_#{backend}.rb",
        "sleep 0.002\n$slow_files_#{backend} = $slow_files_#{backend}.to_i + 1\n")
      SchedulerWaitSuite.autoload(:"PART_#{backend.upcase}", "#{dir}/slow_part_#{backend}.rb")
      on_scheduler do
        got = []
        3.times do
          Fiber.schedule { got << SchedulerWaitSuite.const_get(:"PART_#{backend.upcase}") }
        end
        3.times { Fiber.schedule { got << require("#{dir}/slow_file_#{backend}.rb") } }
        settle { got.size == 6 }
        assert_equal [[7, 3], [false, 2], [true, 1]], got.tally.sort_by(&:to_s)
      end
    end
  end

  def test_queues_between_fibers_and_threads
    on_scheduler do
      queue = Thread::Queue.new
      sized = Thread::SizedQueue.new(2)
      got = []
      Fiber.schedule { 100.times { got << queue.pop } }
      thread = Thread.new { 100.times { |i| sized << i } }
      Fiber.schedule { 100.times { queue << sized.pop } }
      settle { got.size == 100 }
      assert_equal (0...100).to_a, got
      thread.join
      assert_nil queue.pop(timeout: 0.001)
      Fiber.schedule { sleep(0.001) && queue.close }
      assert_nil queue.pop
    end
  end

  def test_locks_between_fibers_and_threads
    on_scheduler do
      mutex = Thread::Mutex.new
      monitor = Monitor.new
      count = inside = 0
      work = lambda do
        20.times do
          mutex.synchronize do
            inside += 1
            raise "not alone" unless inside == 1

            sleep(0)
            inside -= 1
          end
          monitor.synchronize { monitor.synchronize { count += 1 } }
        end
      end
      threads = Array.new(2) { Thread.new(&work) }
      fibers = Array.new(3) { Fiber.schedule(&work) }
      settle { fibers.none?(&:alive?) && threads.none?(&:alive?) }
      assert_equal 100, count
    end
  end

  def test_condition_variables
    on_scheduler do
      mutex = Thread::Mutex.new
      condition = Thread::ConditionVariable.new
      seen = []
      wait = ->(name) { mutex.synchronize { condition.wait(mutex) && seen << name } }
      2.times { |i| Fiber.schedule { wait.call(i) } }
      thread = Thread.new { wait.call(:thread) }
      settle { thread.stop? }
      mutex.synchronize { condition.signal }
      settle { seen.size == 1 }
      mutex.synchronize { condition.broadcast }
      settle { seen.size == 3 }
      mutex.synchronize { condition.wait(mutex, 0.001) }
      assert_predicate mutex, :owned? if mutex.lock
      mutex.unlock
      thread.join
    end
  end

  # Core names the mutex as the blocker of a condition variable's waiter, and the fiber has waited
  # for that before.
  def test_a_condition_variable_after_its_mutex
    on_scheduler do
      mutex = Thread::Mutex.new
      condition = Thread::ConditionVariable.new
      ready = false
      other = Thread.new do
        mutex.synchronize { sleep(0.01) }
        wait_until { mutex.synchronize { ready } }
        mutex.synchronize { condition.signal }
      end
      sleep(0.001) until mutex.locked?
      mutex.synchronize do
        ready = true
        condition.wait(mutex)
      end
      other.join
    end
  end

  def test_joining_threads
    on_scheduler do
      others = 0
      Fiber.schedule { 3.times { sleep(0) && others += 1 } }
      assert_equal 7, Thread.new { (sleep(0.001) until others == 3) || 7 }.value
      assert_equal 3, others
      sleeper = Thread.new { sleep }
      assert_nil sleeper.join(0.001)
      sleeper.kill
      assert_same sleeper, sleeper.join
    end
  end

  def test_a_trap_handler_wakes_a_fiber
    out, status = ruby(<<~RUBY)
      require "raffia"
      Raffia.run do
        queue = Thread::Queue.new
        trap(:USR1) { queue << :signal }
        Process.kill(:USR1, Process.pid)
        p queue.pop
        Fiber.schedule { sleep 0.001; Process.kill(:USR1, Process.pid) }
        p queue.pop
      end
    RUBY
    assert_equal [":signal\n:signal\n", 0], [out, status.exitstatus]
  end

  # Wherever the signals strike: in the middle of a start, of a switch, or of another wait of the
  # same fiber.
  def test_a_trap_handler_that_waits
    out, status = ruby(<<~RUBY)
      require "raffia"
      handled = started = ended = 0
      trap(:USR1) { sleep 0.001; handled += 1 }
      sender = spawn("for i in 1 2 3 4 5 6 7 8; do kill -USR1 \#{Process.pid}; sleep 0.01; done")
      Raffia.run do
        Thread.new { Process.wait(sender); sender = nil }
        while sender
          50.times do
            Fiber.schedule do
              started += 1
              Fiber.scheduler.yield if started % 3 == 0
              ended += 1
            end
          end
          Fiber.scheduler.yield
        end
      end
      p [handled > 0, started - ended]
    RUBY
    assert_equal ["[true, 0]\n", 0], [out, status.exitstatus]
  end

  # -- time limits

  def test_timeouts
    on_scheduler do
      error = assert_raises(Timeout::Error) { Timeout.timeout(0.002) { sleep } }
      assert_equal "execution expired", error.message
      assert_raises(Boom) { Timeout.timeout(0.002, Boom) { sleep } }
      assert_equal "late", assert_raises(Boom) { Timeout.timeout(0.002, Boom, "late") { sleep } }
        .message
      assert_equal 7, Timeout.timeout(100) { sleep(0) && 7 }
      assert_equal 7, Timeout.timeout(nil) { 7 }
      assert_raises(ArgumentError, Timeout::Error) { Timeout.timeout(-1) { sleep } }
    end
  end

  def test_nested_timeouts
    on_scheduler do |scheduler|
      inner = Class.new(StandardError)
      outer = Class.new(StandardError)
      assert_raises(inner) do
        Timeout.timeout(100, outer) { Timeout.timeout(0.002, inner) { sleep } }
      end
      assert_raises(outer) do
        Timeout.timeout(0.002, outer) { Timeout.timeout(100, inner) { sleep } }
      end
      seen = []
      assert_raises(outer) do
        Timeout.timeout(0.1, outer) do
          Timeout.timeout(0.001, inner) { sleep }
        rescue inner
          seen << :inner
          sleep
        end
      end
      assert_equal [:inner], seen
      assert_equal 0, scheduler.stats[:pending]
    end
  end

  def test_a_late_timeout_interrupts_no_other_wait
    on_scheduler do
      50.times do
        Timeout.timeout(0.0005) { spin(0.0006) }
      rescue Timeout::Error
        next
      end
      sleep(0.002)
      Timeout.timeout(0.0001) { spin(0.0003) } # nothing waits in it
      5.times { sleep(0) }
    end
  end

  def test_a_timeout_that_is_over_meets_the_next_wait_in_its_block
    on_scheduler do
      assert_raises(Timeout::Error) do
        Timeout.timeout(0.0005) do
          spin(0.001)
          3.times { sleep(0.001) }
        end
      end
    end
  end

  def test_a_timeout_around_an_enumerator
    on_scheduler do
      endless = Enumerator.new { |y| loop { sleep(0.0005) && y << 1 } }
      assert_raises(Timeout::Error) { Timeout.timeout(0.003) { loop { endless.next } } }
      sleepy = Enumerator.new { |y| sleep && y << 1 }
      assert_raises(Timeout::Error) { Timeout.timeout(0.001) { sleepy.next } }
    end
  end

  # -- interrupts

  def test_interrupting_every_kind_of_wait
    on_scheduler do |scheduler|
      pipe do |reader, _|
        mutex = Thread::Mutex.new.tap(&:lock)
        waits = [-> { sleep }, -> { reader.wait_readable }, -> { reader.readpartial(1) },
          -> { IO.select([reader]) }, -> { mutex.lock },
          -> { Thread::Queue.new.pop }, -> { Thread.new { sleep(0.003) }.join && sleep },
          -> { ::Process.wait(spawn("sleep 0.003")) && sleep },
          -> { scheduler.block(:x) }, -> { sleep(100) }, -> { reader.wait_readable(100) },
          -> { scheduler.offloaded { sleep(0.002) } && sleep }]
        seen = []
        waits.each_with_index do |wait, i|
          fiber = Fiber.schedule do
            wait.call
          rescue Boom => error
            seen << error.message.to_i
          end
          scheduler.fiber_interrupt(fiber, Boom.new(i.to_s))
        end
        settle { seen.size == waits.size }
        assert_equal waits.each_index.to_a, seen.sort
        mutex.unlock
      end
      ::Process.waitall
    end
  end

  def test_one_that_does_not_wait_gets_it_at_its_next_wait
    on_scheduler do |scheduler|
      scheduler.fiber_interrupt(Fiber.current, Boom.new("later"))
      done = true
      assert_equal "later", assert_raises(Boom) { 3.times { sleep(0) } }.message
      assert done
      sleep(0)
    end
  end

  def test_several_interrupts_come_in_their_order_one_in_each_wait
    on_scheduler do |scheduler|
      5.times { |i| scheduler.fiber_interrupt(Fiber.current, Boom.new(i.to_s)) }
      got = Array.new(5) { assert_raises(Boom) { sleep }.message }
      assert_equal %w[0 1 2 3 4], got
      assert_kind_of Integer, sleep(0.001)
    end
  end

  def test_one_that_is_starting_another_fiber
    on_scheduler do |scheduler|
      parent = Fiber.current
      child = Fiber.schedule do
        scheduler.fiber_interrupt(parent, Boom.new)
        sleep(0.001)
      end
      assert_raises(Boom) { sleep }
      settle { !child.alive? }
    end
  end

  def test_one_that_resumes_an_enumerator
    on_scheduler do |scheduler|
      enumerator = Enumerator.new do |y|
        sleep
      rescue Boom => error
        y << error.message
        sleep(0)
        y << :second
      end
      got = nil
      fiber = Fiber.schedule { got = [enumerator.next, enumerator.next] }
      scheduler.fiber_interrupt(fiber, Boom.new("inside"))
      settle { got }
      assert_equal ["inside", :second], got
    end
  end

  def test_fibers_that_the_scheduler_has_not_started
    on_scheduler do |scheduler|
      bare = Fiber.new(blocking: false) do
        Fiber.yield(Fiber.current)
        sleep
      rescue Boom
        :interrupted
      end
      scheduler.fiber_interrupt(bare.resume, Boom.new)
      assert_equal :interrupted, bare.resume
    end
  end

  def test_interrupting_a_fiber_that_has_ended
    on_scheduler do |scheduler|
      scheduler.fiber_interrupt(Fiber.schedule {}, Boom.new)
      sleeper = Fiber.schedule { sleep(0.001) }
      settle { !sleeper.alive? }
      scheduler.fiber_interrupt(sleeper, Boom.new)
      sleep(0.001)
      @scheduler = scheduler
    end
    assert_nil @scheduler.fiber_interrupt(Fiber.new {}, Boom.new)
    assert_nil @scheduler.unblock(:x, Fiber.new {})
  end

  def test_threads_interrupt
    on_scheduler do |scheduler|
      fibers = Array.new(20) do
        Fiber.schedule do
          sleep
        rescue Boom
          nil
        end
      end
      threads = fibers.each_slice(5).map do |some|
        Thread.new { some.each { |fiber| scheduler.fiber_interrupt(fiber, Boom.new) } }
      end
      settle { fibers.none?(&:alive?) }
      threads.each(&:join)
    end
  end

  def test_fiber_raise_and_kill_on_parked_fibers
    on_scheduler do |scheduler|
      seen = []
      2.times do |i|
        fiber = Fiber.schedule do
          sleep
        rescue Boom
          sleep(0.001)
          seen << i
        ensure
          seen << :ensured
        end
        i.zero? ? fiber.raise(Boom) : fiber.kill
      end
      settle { seen.size == 3 }
      assert_equal 2, seen.count(:ensured)
      assert_equal 0, scheduler.stats[:pending]
    end
  end

  def test_fiber_raise_on_one_that_is_starting_another
    on_scheduler do |scheduler|
      seen = []
      parent = Fiber.schedule do
        me = Fiber.current
        Fiber.schedule do
          me.raise(Boom)
          seen << :child
          sleep(0.001)
          seen << :child_again
        end
      rescue Boom
        seen << :parent
      end
      settle { seen.size == 3 }
      assert_equal %i[parent child child_again], seen
      refute_predicate parent, :alive?
      assert_equal 0, scheduler.stats[:parked]
    end
  end

  def test_fiber_raise_on_the_one_in_run
    in_thread do
      with_scheduler do |scheduler|
        main = Fiber.current
        seen = []
        Fiber.schedule do
          sleep(0.001)
          main.raise(Boom)
          seen << :goes_on
          sleep(0.001)
          seen << :again
        end
        assert_raises(Boom) { scheduler.run }
        scheduler.run
        assert_equal %i[goes_on again], seen
      end
    end
  end

  # An interrupt of the thread strikes one fiber, while another one that ran before it is resuming a
  # third: that one is not to be touched.
  def test_interrupts_of_the_thread_leave_alone_who_resumes_another
    in_thread do
      with_scheduler do |scheduler|
        got = []
        over = false
        resume = lambda do
          inner = Fiber.new { 20.times { scheduler.yield || Fiber.yield(:good) } }
          20.times { got << inner.resume }
          # to its end: its stack would stay until the next collection, and there is no room for all
          # that come
          inner.resume
        end
        work = [resume, *[-> { scheduler.yield }] * 8]
        work.each { |call| survive_boom { Fiber.schedule { survive_boom(&call) until over } } }
        storm = Thread.new(Thread.current) do |thread|
          10.times { sleep(0.0005) && thread.raise(Boom) }
        ensure
          over = true
        end
        survive_boom { scheduler.run } while storm.alive?
        scheduler.run
        assert_equal [:good], got.uniq
      end
    end
  end

  # Mutex#unlock wakes one fiber only: when an exception takes that one away, no other is woken.
  def test_an_interrupt_takes_no_wake_up_away
    on_scheduler do |scheduler|
      mutex = Mutex.new
      got = []
      mutex.lock
      first = Fiber.schedule do
        mutex.synchronize { got << :first }
        sleep
      rescue Boom => error
        got << error.message
      end
      Fiber.schedule { mutex.synchronize { got << :second } }
      scheduler.fiber_interrupt(first, Boom.new("later"))
      mutex.unlock
      settle { got.size == 3 }
      assert_equal [:first, "later", :second].sort_by(&:to_s), got.sort_by(&:to_s)
    end
  end

  # -- turns

  def test_yield_lets_the_others_go_first
    on_scheduler do |scheduler|
      order = []
      3.times { |i| Fiber.schedule { 3.times { |turn| scheduler.yield || order << [turn, i] } } }
      settle { order.size == 9 }
      assert_equal order.sort, order
    end
  end

  # A ready queue that is never empty starves neither I/O nor timers.
  # An acceptor starts a fiber for each client: those that are there must hear from the kernel
  # meanwhile.
  def test_starts_count_as_switches_for_the_next_poll
    on_scheduler do |scheduler|
      gate = Thread::Queue.new
      before = scheduler.stats[:turns]
      20.times do
        16.times { Fiber.schedule { gate.pop } }
        scheduler.yield
      end
      assert_operator(scheduler.stats[:turns] - before, :>=, 3)
      gate.close
    end
  end

  def test_fairness
    on_scheduler do |scheduler|
      pipe do |reader, writer|
        writer << "x"
        turns = 0
        done = []
        3.times do
          Fiber.schedule { scheduler.yield && turns += 1 while (turns += 1) && done.size < 3 }
        end
        Fiber.schedule { reader.wait_readable && done << :io }
        Fiber.schedule { sleep(0) && done << :timer }
        Fiber.schedule { scheduler.block(:x, 0) || done << :block }
        before = scheduler.stats[:switches]
        scheduler.yield until done.size == 3
        assert_operator scheduler.stats[:switches] - before, :<, 6 * Raffia::Scheduler::TURN
        assert_operator turns, :>, 0
      end
    end
  end

  # -- one-shot waits

  # Everything at once for the same fiber: readiness, a timer, unblock, an interrupt, a time limit.
  # Each wait ends once, and no latecomer ends the next.
  def test_storm
    random = Random.new(Minitest.seed)
    on_scheduler do |scheduler|
      workers = Array.new(6) { |i| storm_worker(scheduler, random, i) }
      settle("hangs with seed #{Minitest.seed}") do
        workers.none? { |worker| worker[:fiber].alive? }
      end
      workers.each do |worker|
        assert_equal worker[:sent], worker[:got],
          "seed #{Minitest.seed}: an interrupt was lost or came twice"
        assert_equal 150, worker[:rounds], "seed #{Minitest.seed}"
      end
      assert_equal 0, scheduler.stats[:pending]
    end
  end

  private

  def storm_worker(scheduler, random, number)
    worker = {sent: 0, got: 0, rounds: 0, helpers: 0}
    worker[:fiber] = Fiber.schedule do
      pipe do |reader, writer|
        150.times do
          calm(worker) { storm_round(scheduler, random, worker, reader, writer, number) }
          worker[:rounds] += 1
        end
        # Storms that are still on their way.
        calm(worker) { sleep(0.0005) } while worker[:got] < worker[:sent] || worker[:helpers] > 0
      end
    end
    worker
  end

  def storm_round(scheduler, random, worker, reader, writer, number)
    me = Fiber.current
    # In one turn: all that could end the wait.
    worker[:helpers] += 1
    Fiber.schedule do
      scheduler.yield
      writer << "x" if random.rand(2).zero?
      scheduler.unblock(:storm, me) if random.rand(3).zero?
      if random.rand(3).zero?
        worker[:sent] += 1
        scheduler.fiber_interrupt(me, Boom.new(number.to_s))
      end
      worker[:helpers] -= 1
    end
    case random.rand(4)
    when 0 then reader.wait_readable(random.rand * 0.0004)
    when 1 then scheduler.block(:storm, random.rand * 0.0004)
    when 2 then sleep(random.rand * 0.0004)
    else
      begin
        Timeout.timeout(random.rand * 0.0004) { reader.wait_readable && sleep(0.001) }
      rescue Timeout::Error
        nil
      end
    end
    reader.read_nonblock(100, exception: false)
  end

  def survive_boom
    yield
  rescue Boom
    nil
  end

  def calm(worker)
    yield
  rescue Boom
    worker[:got] += 1
  end

  def spin(seconds)
    give_up = TestSupport.now + seconds
    nil while TestSupport.now < give_up
  end
end

SchedulerCase.run(SchedulerWaitSuite)
