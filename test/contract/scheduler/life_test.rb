# frozen_string_literal: true

require_relative "scheduler_case"

# Starting and ending: fibers, runs, schedulers, threads, Ractors, processes.
module SchedulerLifeSuite
  Boom = Class.new(StandardError)
  Storm = Class.new(StandardError)

  # -- fibers

  def test_a_fiber_starts_at_once_and_its_parent_resumes_when_it_waits
    on_scheduler do
      order = [:parent]
      Fiber.schedule do
        order << :child
        Fiber.schedule do
          order << :grandchild
          sleep(0.001)
          order << :late
        end
        order << :child_again
        sleep(0)
      end
      order << :parent_again
      settle { order.last == :late }
      assert_equal %i[parent child grandchild child_again parent_again late], order
    end
  end

  def test_a_deep_nest_of_starts
    on_scheduler do
      deepest = 0
      start = lambda do |depth|
        deepest = [deepest, depth].max
        Fiber.schedule { start.call(depth + 1) } if depth < 200
        sleep(0)
        Fiber.schedule { sleep(0) }
      end
      start.call(0)
      settle { Fiber.scheduler.stats[:parked].zero? }
      assert_equal 200, deepest
    end
  end

  def test_many_fibers
    on_scheduler do |scheduler|
      done = 0
      1000.times { |i| Fiber.schedule { sleep(i % 7 * 0.0001) && done += 1 } }
      settle { done == 1000 }
      assert_equal 0, scheduler.stats[:pending]
    end
  end

  def test_fiber_storage_and_options
    on_scheduler do
      Fiber[:inherited] = 1
      seen = []
      Fiber.schedule { seen << Fiber[:inherited] }
      Fiber.schedule(storage: {inherited: 2}) { seen << Fiber[:inherited] }
      Fiber.schedule(storage: nil) { seen << Fiber[:inherited] }
      if Fiber.instance_method(:initialize).arity < -9
        Fiber.schedule(blocking: true) { seen << Fiber.current.blocking? }
      end
      assert_equal [1, 2, nil], seen
    end
  end

  def test_an_error_that_escapes_from_a_fiber_is_raised_by_run
    in_thread do
      with_scheduler do |scheduler|
        finished = []
        3.times do |i|
          Fiber.schedule do
            sleep(0.001 * i)
            raise Boom, i.to_s if i == 1

            finished << i
          end
        end
        assert_equal "1", assert_raises(Boom) { scheduler.run }.message
        scheduler.run
        assert_equal [0, 2], finished
      end
    end
  end

  def test_an_error_before_the_first_wait
    in_thread do
      with_scheduler do |scheduler|
        assert_raises(Boom) { Fiber.schedule { raise Boom } }
        parent = nil
        assert_raises(Boom) do
          Fiber.schedule do
            Fiber.schedule { raise Boom }
          ensure
            sleep(0.001)
            parent = :went_on
          end
          scheduler.run
        end
        scheduler.run
        assert_equal :went_on, parent
      end
    end
  end

  def test_exit_in_a_fiber
    out, status = ruby(<<~RUBY)
      require "raffia/scheduler"
      at_exit { puts "at exit" }
      Fiber.set_scheduler(Raffia::Scheduler.new)
      Fiber.schedule { sleep 0.001; exit 3 }
      Fiber.schedule { begin; sleep 0.01; puts "finished"; ensure; puts "ensured"; end }
    RUBY
    assert_equal 3, status.exitstatus, out
    assert_includes out, "at exit"
  end

  # Fibers, waits and buffers that only the kernel's side of the loop still knows of. In a process
  # of its own: GC.stress is global, and each collection would mark the heap of all tests.
  def test_under_a_stressed_and_moving_collector
    out, status = ruby(<<~RUBY)
      require "raffia/scheduler"
      require "tempfile"
      require "timeout"

      def compact
        GC.verify_compaction_references(expand_heap: true, toward: :empty)
      rescue NotImplementedError
        GC.start
      end

      Fiber.set_scheduler(scheduler = Raffia::Scheduler.new)
      got = []
      Fiber.schedule do
        file = Tempfile.create("scheduler")
        reader, writer = IO.pipe
        GC.stress = true
        Fiber.schedule { got << reader.readpartial(3) }
        Fiber.schedule { got << "slept \#{sleep(0.001)}"[0, 5] }
        Fiber.schedule { got << file.write("text").to_s }
        Fiber.schedule do
          Timeout.timeout(0.001) { sleep }
        rescue Timeout::Error
          got << "late"
        end
        writer << "abc"
        GC.stress = false
        compact
        sleep(0.001) until got.size == 4
        GC.stress = true
        file.flush
        got << file.pread(4, 0)
        GC.stress = false
        File.unlink(file)
      end
      scheduler.run
      p got.sort, scheduler.stats[:pending]
    RUBY
    assert_equal [%(["4", "abc", "late", "slept", "text"]\n0\n), 0], [out, status.exitstatus]
  end

  # -- runs

  def test_run_within_a_run
    on_scheduler do |scheduler|
      order = []
      Fiber.schedule { sleep(0.002) && order << :other }
      Fiber.schedule do
        Fiber.schedule { sleep(0.001) && order << :inner }
        order << :before
      end
      assert_equal [:before], order
      inner = Fiber.schedule do
        sleep(0)
        scheduler.run if scheduler.stats[:parked].zero?
        order << :run
      end
      settle { order.size == 4 && !inner.alive? }
    end
  end

  def test_run_in_a_fiber_runs_all_but_itself
    in_thread do
      with_scheduler do |scheduler|
        order = []
        Fiber.schedule do
          Fiber.schedule { sleep(0.001) && order << :other }
          scheduler.run
          order << :run
        end
        scheduler.run
        assert_equal %i[other run], order
      end
    end
  end

  def test_run_without_work
    in_thread do
      with_scheduler do |scheduler|
        3.times { assert_nil scheduler.run }
      end
    end
  end

  def test_an_interrupt_of_run_loses_no_fiber
    in_thread do
      with_scheduler do |scheduler|
        done = []
        20.times { |i| Fiber.schedule { 3.times { sleep(0.001) } && done << i } }
        main = Thread.current
        thread = Thread.new { main.raise(Storm) }
        begin
          scheduler.run
        rescue Storm
          thread.join
        end
        scheduler.run
        assert_equal 20, done.size
      end
    end
  end

  # Tasks that survive what strikes them, as the runner does: none of them may be forgotten,
  # whatever line was hit.
  def test_a_storm_of_interrupts_loses_no_fiber
    in_thread do
      with_scheduler do |scheduler|
        pipe do |reader, writer|
          ended = {}
          work = [-> { sleep(0.0003) }, -> { writer << "x" }, -> { reader.wait_readable(0.0003) },
            -> { scheduler.yield },
            -> { scheduler.block(:x, 0.0003) }, -> { Fiber.schedule { scheduler.yield }.alive? },
            -> { reader.read_nonblock(9, exception: false) }]
          30.times { |i| survive { Fiber.schedule { storm_task(work, ended, i) } } }
          storm(Thread.current) { survive { scheduler.run } while ended.size < 30 }
          scheduler.run
          assert_equal (0...30).to_a, ended.keys.sort
          assert_equal 0, scheduler.stats[:parked]
        end
      end
    end
  end

  # -- ends

  def test_closing
    in_thread do
      done = 0
      scheduler = Raffia::Scheduler.new(backend: backend)
      Fiber.set_scheduler(scheduler)
      Fiber.schedule { sleep(0.001) && done += 1 }
      scheduler.close
      assert_equal 1, done
      assert_predicate scheduler, :closed?
      assert_nil Fiber.scheduler
      2.times { assert_nil scheduler.close }
      assert_match(/closed/, assert_raises(Raffia::Closed) { scheduler.run }.message)
      assert_raises(Raffia::Closed) { scheduler.fiber {} }
      assert_equal({backend: backend, parked: 0}, scheduler.stats.slice(:backend, :parked))
      assert_match(/closed/, scheduler.inspect)
    end
  end

  def test_one_that_was_never_used
    in_thread do
      Raffia::Scheduler.new(backend: backend).close
      Fiber.set_scheduler(Raffia::Scheduler.new(backend: backend))
      Fiber.set_scheduler(nil)
      scheduler = Raffia::Scheduler.new(backend: backend)
      scheduler.terminate
      scheduler.terminate
      assert_equal backend, scheduler.backend
    end
  end

  def test_closing_in_the_middle
    in_thread do
      order = []
      Fiber.set_scheduler(scheduler = Raffia::Scheduler.new(backend: backend))
      Fiber.schedule { sleep(0.002) && order << :other }
      Fiber.schedule do
        sleep(0.001)
        scheduler.close
        order << :closed
      end
      scheduler.run
      assert_equal %i[other closed], order
      assert_predicate scheduler, :closed?
    end
  end

  def test_taking_the_scheduler_away_inside
    order = []
    in_thread do
      Fiber.set_scheduler(Raffia::Scheduler.new(backend: backend))
      Fiber.schedule { sleep(0.001) && order << :other }
      Fiber.schedule do
        Fiber.set_scheduler(nil)
        order << :gone
        sleep(0.001) # blocks
        order << (Fiber.scheduler ? :still_there : :taken)
      end
      order << :main # goes on when the other one waits, as ever
    end
    assert_equal %i[main other gone taken], order
  end

  def test_replacing_a_scheduler
    in_thread do
      done = []
      2.times do |i|
        Fiber.set_scheduler(Raffia::Scheduler.new(backend: backend))
        Fiber.schedule { sleep(0.001) && done << i }
      end
      assert_equal [0], done
      Fiber.set_scheduler(nil)
      assert_equal [0, 1], done
    end
  end

  def test_the_end_of_the_thread_runs_the_fibers_that_are_left
    done = in_thread do
      list = []
      Fiber.set_scheduler(Raffia::Scheduler.new(backend: backend))
      Fiber.schedule { sleep(0.002) && list << 1 }
      list
    end
    assert_equal [1], done
  end

  def test_terminate_leaves_the_fibers_where_they_are
    in_thread do
      seen = []
      Fiber.set_scheduler(scheduler = Raffia::Scheduler.new(backend: backend))
      Fiber.schedule do
        sleep
      ensure
        seen << :ensured
      end
      scheduler.terminate
      assert_empty seen
      assert_nil Fiber.scheduler
      assert_predicate scheduler, :closed?
    end
  end

  def test_killing_the_thread_ends_its_fibers
    assert_no_leaks do
      seen = Thread::Queue.new
      thread = Thread.new do
        Fiber.set_scheduler(scheduler = Raffia::Scheduler.new(backend: backend))
        3.times do |i|
          Fiber.schedule do
            seen << :started
            sleep
          ensure
            sleep(0.001)
            seen << :ensured
          end
        end
        scheduler.run
      end
      wait_until { seen.size == 3 && thread.stop? }
      thread.kill
      assert thread.join(Raffia::TestCase::PATIENCE), "it hangs in #{thread.backtrace}"
      assert_equal [:started] * 3 + [:ensured] * 3, Array.new(seen.size) { seen.pop }
    end
  end

  # The kill ends the fiber, and Ruby defers it in the main fiber, by the thread's mask.
  def test_killing_the_thread_in_a_fiber_under_a_mask
    %i[on_blocking never].each do |timing|
      seen = Thread::Queue.new
      thread = Thread.handle_interrupt(Object => timing) do
        Thread.new do
          Fiber.set_scheduler(scheduler = Raffia::Scheduler.new(backend: backend))
          [-> { sleep }, -> { let_in { Fiber.blocking { sleep } } }].each do |wait|
            Fiber.schedule do
              seen << :started
              wait.call
            ensure
              sleep(0.001)
              seen << :ensured
            end
          end
          scheduler.run
        rescue Exception => error # standard:disable Lint/RescueException
          seen << error
        end
      end
      wait_until { seen.size == 2 && thread.stop? }
      thread.kill
      assert thread.join(Raffia::TestCase::PATIENCE), "it hangs in #{thread.backtrace}"
      assert_equal [:started] * 2 + [:ensured] * 2, Array.new(seen.size) { seen.pop }
    end
  end

  def let_in(&) = Thread.handle_interrupt(Object => :immediate, &)

  def test_other_threads_keep_off
    in_thread do
      with_scheduler do |scheduler|
        Fiber.schedule { sleep(0.001) }
        %i[run terminate close].each do |method|
          Thread.new {
            assert_match(/one thread only/,
              assert_raises(Raffia::Error) { scheduler.public_send(method) }.message)
          }.join
        end
        scheduler.run
      end
    end
  end

  def test_many_schedulers_at_once
    assert_no_leaks do
      threads = Array.new(4) do |n|
        Thread.new do
          with_scheduler(offload: false) do |scheduler|
            pipe do |reader, writer|
              Fiber.schedule { 50.times { |i| writer << [i].pack("C") } }
              got = []
              Fiber.schedule { 50.times { got << reader.readpartial(1).ord } }
              scheduler.run
              [n, got]
            end
          end
        end
      end
      assert_equal Array.new(4) { |n| [n, (0...50).to_a] },
        threads.map { |thread| join(thread).value }
    end
  end

  def test_stats_and_inspect
    on_scheduler do |scheduler|
      Fiber.schedule { sleep(0.001) }
      stats = scheduler.stats
      assert_equal [backend, 1], stats.values_at(:backend, :parked)
      assert_operator stats[:pending], :>=, 1
      assert_kind_of Integer, stats[:polls]
      assert_equal "#<Raffia::Scheduler #{backend} parked=1>", scheduler.inspect
    end
    assert_raises(Raffia::ConfigError) { Raffia::Scheduler.new(backend: :kqueue9) }
  end

  # One after the other, on every back end; several at once are in
  # test/stress/scheduler_ractors_test.rb.
  def test_in_a_ractor
    out, status = ruby(<<~RUBY)
      require "raffia"
      backend = ENV["RAFFIA_BACKEND"]
      2.times do |n|
        ractor = Ractor.new(backend, n) do |name, number|
          reader, writer = IO.pipe
          Fiber.set_scheduler(scheduler = Raffia::Scheduler.new(backend: name))
          got = []
          Fiber.schedule { 20.times { |i| sleep 0.0005; writer.puts(i) } && writer.close }
          Fiber.schedule { reader.each_line { |line| got << line.to_i } }
          Fiber.schedule { got << Process.wait(spawn("exit 0")).class }
          scheduler.run
          Fiber.set_scheduler(nil)
          [number, scheduler.backend.name, got.delete(Integer), got == (0...20).to_a]
        end
        p ractor.take
      end
      p Ractor.new { Raffia.run { |scope| scope.spawn { sleep(0.001) && 7 }.value } }.take
    RUBY
    expected = [[0, backend.name, Integer, true], [1, backend.name, Integer, true],
      7].map { |line| "#{line.inspect}\n" }.join
    assert_equal [expected, 0], [out, status.exitstatus]
  end

  # Threads without a kernel thread of their own, in the main Ractor. Ruby 3.4.5 sometimes crashes
  # when it ends with them: one of its kernel threads switches to a stack that main has freed.
  def test_with_m_to_n_threads
    out, status = ruby(<<~RUBY, {"RUBY_MN_THREADS" => "1"})
      require "raffia"
      threads = 8.times.map do
        Thread.new do
          Raffia.run do |scope|
            20.times.map { |i| scope.spawn { sleep(0.0005) && i } }.sum(&:value)
          end
        end
      end
      p threads.map(&:value).uniq
      $stdout.flush
      exit!(0)
    RUBY
    assert_equal ["[190]\n", 0], [out, status.exitstatus]
  end

  # -- processes

  def test_waiting_for_a_process
    on_scheduler do
      others = 0
      pipe do |told, tell|
        Fiber.schedule { 3.times { sleep(0.001) && others += 1 } && tell.puts }
        pid = spawn("read told; exit 3", in: told)
        assert_equal pid, ::Process.wait(pid)
      end
      assert_equal 3, $?.exitstatus
      assert_equal 3, others
      assert_equal 4, ::Process.wait2(spawn("exit 4"))[1].exitstatus
      assert_equal "KILL", Signal.signame(::Process::Status.wait(spawn("kill -9 $$")).termsig)
    end
  end

  def test_system_backticks_and_open3
    on_scheduler do
      results = []
      4.times do |i|
        Fiber.schedule { results << [i, system("exit #{i}"), $?.exitstatus] }
        Fiber.schedule { results << [i, `echo #{i}; exit #{i}`, $?.exitstatus] }
      end
      settle { results.size == 8 }
      assert_equal Array.new(4) { |i| [[i, i.zero?, i], [i, "#{i}\n", i]] }.flatten(1)
        .sort_by(&:to_s), results.sort_by(&:to_s)
      out, err, status = Open3.capture3("cat; echo problem >&2; exit 5",
        stdin_data: "text" * 50_000)
      assert_equal [200_000, "problem\n", 5], [out.size, err, status.exitstatus]
      assert_equal "x", IO.popen("cat", "r+") { |io| io.write("x") && (io.close_write || io.read) }
      assert_raises(Errno::ENOENT) { `/no/such/program` }
    end
  end

  # In a process of its own: children of other tests would be waited for, too.
  def test_waiting_for_any_process
    out, status = ruby(<<~RUBY)
      require "raffia/scheduler"
      Fiber.set_scheduler(Raffia::Scheduler.new)
      Fiber.schedule do
        pids = [0.005, 0.001].map { |seconds| spawn("sleep \#{seconds}") }
        p pids.sort == [Process.wait, Process.wait(-1)].sort
        [-1, 1].each { |pid| Process.wait(pid) rescue p $!.class }
        p((Process.wait rescue $!.class))
      end
    RUBY
    assert_equal ["true\n#{"Errno::ECHILD\n" * 3}", 0], [out, status.exitstatus]
  end

  def test_waiting_for_any_process_of_a_group
    on_scheduler do
      group = spawn("sleep 0.001", pgroup: true)
      assert_equal group, ::Process.wait(-group)
      pipe do |told, tell|
        slow = spawn("read told; exit 0", in: told)
        assert_nil ::Process.wait(slow, ::Process::WNOHANG)
        tell.puts
        assert_equal slow, ::Process.wait(0)
      end
    end
  end

  def test_a_cancelled_wait_leaves_the_status_to_others
    on_scheduler do
      pipe do |told, tell|
        [-> { ::Process.wait(-1) }, -> { ::Process.wait(@pid) }].each do |wait|
          @pid = spawn("read told; exit 0", in: told)
          assert_raises(Timeout::Error) { Timeout.timeout(0.002) { wait.call } }
          tell.puts
          assert_equal @pid, ::Process.wait(@pid)
        end
      end
    end
  end

  def test_a_process_that_stops
    on_scheduler do
      pid = spawn("kill -STOP $$; exit 6")
      assert_equal pid, ::Process.wait(pid, ::Process::WUNTRACED)
      assert_predicate $?, :stopped?
      ::Process.kill(:CONT, pid)
      assert_equal 6, ::Process.wait2(pid)[1].exitstatus
    end
  end

  def test_fork_with_a_block_while_others_wait
    on_scheduler do |scheduler|
      pipe do |reader, writer|
        woken = []
        Fiber.schedule { woken << :io if reader.wait_readable }
        Fiber.schedule { woken << :timer if sleep(0.02) }
        said = in_child { [Fiber.scheduler.nil?, scheduler.closed?, child_runs] }
        assert_equal [true, true, [:child, "x"]], said
        writer << "x"
        settle { woken.sort == %i[io timer] }
        refute_predicate scheduler, :closed?
      end
    end
  end

  def test_fork_without_a_block
    out, status = ruby(<<~RUBY)
      require "raffia"
      $stdout.sync = true
      Raffia.run do |scope|
        scope.spawn { sleep 0.01; puts "other in \#{$parent ? :parent : :child}" }
        scope.spawn do
          $parent = Process.pid
          if (pid = fork)
            Process.wait(pid)
            puts "parent \#{$?.exitstatus}"
          else
            $parent = nil
            puts "child \#{Fiber.scheduler.inspect}"
            puts Raffia.run { |inner| inner.spawn { sleep 0.001; `echo inner` }.value }
            puts Raffia.run(backend: :select) { sleep 0.001; "again" }
            exit!(7)
          end
        end
      end
      puts "end"
    RUBY
    lines = out.lines.map(&:chomp)
    assert_equal [["child nil", "inner", "again", "parent 7", "other in parent", "end"].sort, 0],
      [lines.sort, status.exitstatus]
  end

  # The fiber that forks is the first fiber of the child: its end is the child's.
  def test_a_forked_child_that_continues
    out, status = ruby(<<~RUBY)
      require "raffia/scheduler"
      $stdout.sync = true
      Fiber.set_scheduler(scheduler = Raffia::Scheduler.new)
      Fiber.schedule { sleep 0.005; puts "other" }
      Fiber.schedule do
        pid = fork
        pid ? Process.wait(pid) : puts("in the child")
      end
      scheduler.run
      puts scheduler.closed? ? "the child's end" : "the parent's end"
    RUBY
    assert_equal [["in the child", "other", "the parent's end"], 0],
      [out.lines.map(&:chomp).sort, status.exitstatus]
  end

  def test_a_fork_in_a_trap_handler
    out, status = ruby(<<~RUBY, signals: [["ready", :USR1]])
      $stdout.sync = true
      require "raffia/scheduler"
      where = nil
      trap(:USR1) { where = fork ? :parent : :child }
      Fiber.set_scheduler(scheduler = Raffia::Scheduler.new)
      Fiber.schedule { sleep 0.001 until where; $stdout << "fiber in \#{where}\n" }
      puts "ready"
      scheduler.run unless scheduler.closed?
      Process.waitall
      $stdout << "end of \#{where}\n"
    RUBY
    # One write for each line: parent and child share the pipe.
    assert_equal 0, status.exitstatus, out
    assert_includes out, "fiber in parent\n"
    assert_includes out, "end of parent\n"
    assert_operator out.scan("in child").size + out.scan("of child").size, :>, 0
  end

  private

  def storm_task(work, ended, number)
    survive { 40.times { |turn| work[(number + turn) % work.size].call } }
  ensure
    ended[number] = true
  end

  def survive
    yield
  rescue Storm
    nil
  end

  # Strikes the thread while the block runs, and what it does survives that.
  def storm(target)
    over = false
    thread = Thread.new do
      until over
        target.raise(Storm)
        sleep(0.0002)
      end
    end
    begin
      yield
    rescue Storm
      retry
    end
  ensure
    over = true
    calm_down(thread)
  end

  def calm_down(thread)
    thread&.join
    Thread.pass while Thread.pending_interrupt? # the last one may come after the join
  rescue Storm
    retry
  end

  def child_runs
    got = []
    Fiber.set_scheduler(own = Raffia::Scheduler.new(backend: backend))
    reader, writer = IO.pipe
    Fiber.schedule { sleep(0.001) && writer << "x" }
    Fiber.schedule { got << :child << reader.readpartial(1) }
    own.run
    got
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
    ::Process.kill(:KILL, pid) # a child that hangs must not outlive its test
    ::Process.wait(pid)
  end
end

SchedulerCase.run(SchedulerLifeSuite)
