# frozen_string_literal: true

require_relative "scheduler_case"

# Looking in: Scheduler#parked, Raffia.snapshot, Raffia.dump, and the figures.
module SchedulerInspectionSuite
  Broken = Class.new { def inspect = raise(ArgumentError) }

  def test_io
    pipe do |out, _|
      found = look_at { out.wait_readable(30) }
      assert_equal [:io, out, out.fileno, 30.0],
        [found.reason, found.subject, found.fd, found.limit]
      assert_equal "readable: IO pipe", found.what
      assert_predicate found, :frozen?
    end
    sockets do |one, _|
      assert_equal "readable or priority: UNIXSocket unnamed -> unnamed",
        look_at { one.wait(IO::READABLE | IO::PRIORITY, 30) }.what
    end
  end

  def test_addresses
    need_localhost
    TCPServer.open("127.0.0.1", 0) do |server|
      port = server.local_address.ip_port
      assert_equal "readable: TCPServer 127.0.0.1:#{port}", look_at { server.accept }.what
      TCPSocket.open("127.0.0.1", port) do |client|
        assert_match(/\Areadable: TCPSocket 127\.0\.0\.1:\d+ -> 127\.0\.0\.1:#{port}\z/,
          look_at { client.readpartial(1) }.what)
        # The descriptors of libpq and others come like this.
        foreign = IO.for_fd(client.fileno, autoclose: false)
        assert_match(/\Areadable: IO 127\.0\.0\.1:\d+ -> 127\.0\.0\.1:#{port}\z/,
          look_at { foreign.wait_readable }.what)
      end
    end
  end

  def test_select_and_children
    pipe do |out, input|
      found = look_at { IO.select([out], [], [input]) }
      assert_equal [:work, "IO pipe, IO pipe"], [found.reason, found.what]
    end
    child = ::Process.spawn(RbConfig.ruby, "--disable-all", "-e", "$stdin.read",
      in: (ends = IO.pipe).first)
    ends.first.close
    found = look_at(stop: -> { ends.last.close }) { ::Process.wait(child) }
    assert_match(/child #{child}\z/, found.what)
  end

  def test_sleep
    found = look_at { sleep(30) }
    assert_equal [:sleep, 30.0, "asleep for 30.0 s"], [found.reason, found.limit, found.what]
    assert_equal "asleep until it is woken", look_at { sleep }.what
    mutex = Mutex.new
    assert_equal "a condition variable",
      look_at { mutex.synchronize { ConditionVariable.new.wait(mutex) } }.what
  end

  def test_blockers
    queue = Thread::Queue.new
    found = look_at { queue.pop(timeout: 30) }
    assert_equal [:block, queue, 30.0], [found.reason, found.subject, found.limit]
    assert_match(/\A#<Thread::Queue:0x\h+> \(0 in it\)\z/, found.what)
    assert_equal(found.what.sub(/ .*/, ""), look_at { queue.pop }.what.sub(/ .*/, ""))
    thread = Thread.new { Thread::Queue.new.pop(timeout: 30) }
    assert_equal(thread, look_at { thread.join }.subject)
    thread.kill.join
  end

  def test_objects_that_cannot_be_asked
    secret = Object.new.tap { |object| object.instance_variable_set(:@secret, 1) }
    [[BasicObject.new, /\A#<BasicObject/],
      [Broken.new, /\A#<.*Broken.*ArgumentError in its inspect/],
      [("x" * 1000).to_sym, /\A:x{119}\.\.\.\z/],
      [nil, /inside of Ruby/], [secret, /\A#<Object:0x\h+>\z/]].each do |blocker, words|
      assert_match words, look_at { Fiber.scheduler.block(blocker) }.what
    end
  end

  # The lock of autoload has no class: a method call on it crashes.
  def test_a_lock_inside_of_ruby
    Dir.mktmpdir do |dir|
      File.write("#{dir}/slow_part.rb", "sleep; SlowPart = 1")
      out, status = ruby(<<~RUBY)
        require "raffia"
        autoload :SlowPart, "#{dir}/slow_part.rb"
        Fiber.set_scheduler(Raffia::Scheduler.new)
        2.times { Fiber.schedule { SlowPart } }
        puts Fiber.scheduler.parked.map { |one| [one.reason, one.what].join(" ") }
        Raffia.dump($stdout)
        $stdout.flush
        exit!(0)
      RUBY
      assert_predicate status, :success?, out
      assert_match(/\Asleep asleep until it is woken\nblock .*\n/, out)
    end
  end

  def test_a_mutex_names_its_holder
    on_scheduler do |scheduler|
      mutex = Mutex.new
      holder = Fiber.schedule { mutex.synchronize { sleep } }
      waiter = Fiber.schedule { mutex.synchronize { nil } }
      found = scheduler.parked.find { |one| one.fiber.equal?(waiter) }
      assert_same mutex, found.subject
      RUBY_VERSION < "4" && backend != :select && assert_same(holder, found.holder)
      scheduler.unblock(:test, holder)
    end
  end

  def test_an_enumerator_shows_both_fibers
    found = look_at { Enumerator.new { |y| y << inner_wait }.next }
    refute_same found.fiber, found.owner
    assert_operator found.backtrace.join("\n"), :match?, /inner_wait.*look_at/m
  end

  def test_order_frames_and_ended_waits
    on_scheduler do |scheduler|
      fibers = Array.new(3) { Fiber.schedule { sleep } }
      found = scheduler.parked
      assert_equal fibers, found.map(&:fiber)
      assert_operator found.first.backtrace.size, :>, 1
      assert_equal([2], scheduler.parked(frames: 2).map { |one| one.backtrace.size }.uniq)
      assert found.all? { |one| one.age >= 0 }
      fibers.each { |fiber| scheduler.unblock(:test, fiber) }
      settle { fibers.none?(&:alive?) }
      assert_empty scheduler.parked
    end
  end

  def test_from_another_thread_and_after_the_end
    scheduler = nil
    on_scheduler do |current|
      scheduler = current
      fiber = Fiber.schedule { sleep }
      seen = Thread.new {
        [scheduler.parked.map(&:fiber),
          Raffia::Scheduler.all.include?(scheduler)]
      }.value
      assert_includes seen.first, fiber
      assert seen.last
      scheduler.unblock(:test, fiber)
    end
    assert_empty scheduler.parked
    refute_includes Raffia::Scheduler.all, scheduler
  end

  def test_a_snapshot_names_tasks_and_their_waits
    in_thread do
      Raffia.run(backend: backend) do |scope|
        first = scope.spawn { sleep }
        scope.spawn { first.join }
        snapshot = Raffia.snapshot
        loop = snapshot.loops.find { |one| one.thread.equal?(Thread.current) }
        assert_equal backend, loop.stats[:backend]
        # Both may be of the same tick of the clock, and others may wait too.
        sleeper = loop.parked.find { |one| snapshot.task(one).equal?(first) }
        refute_nil sleeper
        assert_equal :sleep, sleeper.reason
        assert_includes loop.parked.map { |one| snapshot.what(one) },
          "the end of ##{snapshot.number(sleeper)}"
        hash = JSON.parse(JSON.generate(snapshot.to_h))
        assert_empty(%w[block sleep] -
          hash["loops"].find { |one| one["thread"] == Thread.current.inspect }["parked"]
            .map { |one| one["reason"] })
        first.cancel
      end
    end
  end

  def test_tasks_have_names_where_there_are_ractors_too
    out, status = ruby(<<~RUBY)
      require "raffia"
      Warning[:experimental] = false
      Ractor.new {}.then { |ractor| ractor.respond_to?(:take) ? ractor.take : ractor.value }
      Raffia.run do |scope|
        task = scope.spawn { sleep }
        snapshot = Raffia.snapshot
        p snapshot.loops.first.parked.map { |one| snapshot.task(one).equal?(task) }
        task.cancel
      end
    RUBY
    assert_equal ["[true]\n", 0], [out, status.exitstatus]
  end

  # In a process of its own: it tells of all loops, and other tests may have left one that is not
  # over yet.
  def test_a_dump_groups_equal_waits
    out, = ruby(<<~RUBY)
      require "raffia"
      Raffia.run do |scope|
        tasks = Array.new(10) { scope.spawn { sleep } }
        Raffia.dump($stdout)
        puts "in color: \#{Raffia.snapshot.to_s(color: true).include?("\\e[1m")}"
        tasks.each(&:cancel)
      end
    RUBY
    assert_match(/^#{backend} in #<Thread/, out)
    assert_match(/  #1 +\d.* s  asleep until it is woken/, out)
    assert_equal 3, out.scan("asleep until it is woken").size
    assert_match(/and 7 more at the same place/, out)
    refute_match(%r{lib/raffia/(scheduler|task)}, out)
    refute_includes out, "\e["
    assert_includes out, "in color: true"
  end

  def test_nothing_to_see
    out, = ruby('require "raffia"; Raffia.dump($stdout)')
    assert_match(/\ARaffia .*\n\nno scheduler is at work\n\z/, out)
  end

  def test_figures
    on_scheduler do |scheduler|
      pipe do |out, input|
        before = scheduler.stats
        reader = Fiber.schedule { out.readpartial(1) }
        input << "x"
        settle { !reader.alive? }
        after = scheduler.stats
        %i[turns switches polls].each { |name| assert_operator after[name], :>, before[name], name }
        assert_operator after[:deepest], :>=, 1
      end
      started = Raffia::Clock.now
      nil until Raffia::Clock.now > started + 0.03
      sleep(0.001)
      assert_operator scheduler.stats[:longest_turn], :>=, 0.02, "a fiber has hogged the thread"
    end
  end

  private

  def inner_wait = sleep

  # Returns the wait of a fiber that runs the block, which is then ended.
  def look_at(stop: nil, &block)
    in_thread do
      with_scheduler do |scheduler|
        cancel = Raffia::Cancel.new(:test)
        fiber = Fiber.schedule do
          block.call
        rescue Raffia::Cancel => error
          raise unless error.equal?(cancel)
        end
        # A wait may begin a little later: the kernel is asked first.
        found = nil
        Fiber.schedule do
          settle { found = scheduler.parked.find { |one| one.owner.equal?(fiber) } }
        end
        scheduler.run until found
        stop ? stop.call : scheduler.fiber_interrupt(fiber, cancel)
        scheduler.run
        found
      end
    end
  end
end

SchedulerCase.run(SchedulerInspectionSuite)
