# frozen_string_literal: true

require_relative "../contract/scheduler/scheduler_case"

# A scheduler in each of several Ractors at once. Each test is a process of its own, because what
# could go wrong is a crash.
module SchedulerRactorsSuite
  PRELUDE = <<~RUBY
    require "raffia"
    require "io/wait"
    require "socket"
    # Loaded before there are Ractors, because a `require` in one may hang on Ruby 3.4
    # (docs/ractors.md).
    require "timeout"

    # The block runs in each Ractor, with a scheduler of its own.
    def schedulers(count = 4, &work)
      work = Ractor.make_shareable(Raffia::Native.rebind_self(work, nil))
      count.times.map do |number|
        Ractor.new(ENV.fetch("RAFFIA_BACKEND").to_sym, number, work) do |backend, number, work|
          Thread.current.report_on_exception = false
          Fiber.set_scheduler(scheduler = Raffia::Scheduler.new(backend: backend))
          work.call(scheduler, number)
        end
      end
    end

    def values(ractors)
      ractors.map { |ractor| ractor.respond_to?(:value) ? ractor.value : ractor.take }
    end
  RUBY

  def setup
    if backend == :select && RUBY_VERSION < "4"
      skip "the select engine is plain Ruby, and nothing guards its fibers: Ruby " \
        "#{RUBY_VERSION}'s pool of stacks has no lock"
    end
  end

  # The output of a program that ended with status 0.
  def printed(script, **options)
    out, status = ruby(PRELUDE + script, **options)
    assert_equal 0, status.exitstatus, out.lines.first(40).join
    out.lines.map(&:chomp)
  end

  def test_many_births_and_ends_at_once
    lines = printed(<<~RUBY)
      ractors = schedulers do |scheduler, number|
        done = 0
        100.times do |round|
          50.times { |n| scheduler.launch { n.even? ? sleep(0) : nil; done += 1 } }
          50.times { Fiber.schedule { sleep(0); done += 1 } }
          50.times { |n| Fiber.schedule(storage: {n: n}) { sleep(0); done += 1 if Fiber[:n] == n } }
          scheduler.run
        end
        done
      end
      p values(ractors)
    RUBY
    assert_equal [[15_000] * 4].map(&:inspect), lines
  end

  # The main Ractor has fibers too, and one that has none makes garbage, so that the collector
  # sweeps from everywhere.
  def test_beside_the_main_ractor_and_one_that_makes_garbage
    lines = printed(<<~RUBY)
      garbage = Ractor.new do
        150.times do
          GC.start(full_mark: false, immediate_sweep: false)
          200.times { "g" * 50_000 }
        end
        :swept
      end
      ractors = schedulers(2) do |scheduler, number|
        sum = 0
        100.times do
          40.times { Fiber.schedule { "f" * 20_000; sleep(0); sum += 1 } }
          scheduler.run
        end
        sum
      end
      mine = Raffia.run do |scope|
        50.times.sum { 40.times.map { scope.spawn { sleep(0) && 1 } }.sum(&:value) }
      end
      p mine, *values([*ractors, garbage])
    RUBY
    assert_equal %w[2000 4000 4000 :swept], lines
  end

  def test_sleeps_queues_pipes_processes_and_locks
    lines = printed(<<~'RUBY')
      ractors = schedulers do |scheduler, number|
        queue, mutex = Thread::Queue.new, Thread::Mutex.new
        condition, told = Thread::ConditionVariable.new, false
        reader, writer = IO.pipe
        got, lines, entered = [], [], 0
        Fiber.schedule { 50.times { |n| sleep(0.0002); queue << n }; queue.close }
        Fiber.schedule { while (n = queue.pop) do got << n end }
        Fiber.schedule { 50.times { |n| writer.puts("#{number} #{n}") && sleep(0) }; writer.close }
        Fiber.schedule { reader.each_line(chomp: true) { |line| lines << line } }
        20.times do
          Fiber.schedule { mutex.synchronize { before = entered; sleep(0); entered = before + 1 } }
        end
        Fiber.schedule { mutex.synchronize { condition.wait(mutex) until told } }
        Fiber.schedule { sleep(0.001); mutex.synchronize { told = true; condition.signal } }
        code = nil
        Fiber.schedule { Process.wait(spawn("exit #{number}")); code = $?.exitstatus }
        scheduler.run
        [got == (0...50).to_a, lines == (0...50).map { |n| "#{number} #{n}" }, entered, code]
      end
      values(ractors).each { |value| p value }
    RUBY
    assert_equal 4.times.map { |n| [true, true, 20, n].inspect }, lines
  end

  def test_threads_of_a_ractor
    if RUBY_VERSION < "4"
      skip "four Ractors that each wait for a Thread hang, in plain Ruby #{RUBY_VERSION} too: " \
        "Thread.new { 1 }.value is enough"
    end

    lines = printed(<<~RUBY)
      ractors = schedulers do |scheduler, number|
        values = []
        4.times { |n| Fiber.schedule { values << Thread.new { sleep(0.001); n }.value } }
        scheduler.run
        values.sort
      end
      p values(ractors).uniq
    RUBY
    assert_equal ["[[0, 1, 2, 3]]"], lines
  end

  def test_sockets
    lines = printed(<<~'RUBY')
      ractors = schedulers(3) do |scheduler, number|
        listener = TCPServer.new("127.0.0.1", 0)
        port = listener.addr[1]
        right = 0
        Fiber.schedule do
          40.times do
            client = listener.accept
            scheduler.launch do
              while (line = client.gets) do client.write(line) end
              client.close
            end
          end
          listener.close
        end
        40.times do |n|
          Fiber.schedule do
            socket = TCPSocket.new("127.0.0.1", port)
            25.times do |m|
              socket.write("#{number} #{n} #{m}\n")
              right += 1 if socket.gets == "#{number} #{n} #{m}\n"
            end
            socket.close
          end
        end
        scheduler.run
        right
      end
      p values(ractors)
    RUBY
    assert_equal ["[1000, 1000, 1000]"], lines
  end

  def test_limits_of_time
    lines = printed(<<~RUBY)
      ractors = schedulers do |scheduler, number|
        reader, writer = IO.pipe
        ends = []
        Fiber.schedule { ends << reader.wait_readable(0.001) }
        Fiber.schedule { ends << Thread::Queue.new.pop(timeout: 0.001) }
        Fiber.schedule do
          Raffia.timeout(0.001) { reader.gets }
        rescue Raffia::TimeoutError => error
          ends << error.class
        end
        Fiber.schedule do
          reader.timeout = 0.001
          reader.gets
        rescue IO::TimeoutError => error
          ends << error.class
        end
        scheduler.run
        [ends.count(nil), ends.compact.map(&:name).sort]
      end
      p values(ractors).uniq
    RUBY
    assert_equal ['[[2, ["IO::TimeoutError", "Raffia::TimeoutError"]]]'], lines
  end

  def test_tasks_in_scopes
    lines = printed(<<~RUBY)
      backend = ENV["RAFFIA_BACKEND"].to_sym
      ractors = 4.times.map do |number|
        Ractor.new(backend, number) do |backend, number|
          Thread.current.report_on_exception = false
          Raffia.run(backend: backend) do |scope|
            channel = Raffia::Channel.new(4)
            scope.spawn { 100.times { |n| channel.push(n + number) }; channel.close }
            sum = 0
            channel.each { |n| sum += n }
            failure = begin
              Raffia.run do |inner|
                inner.spawn { sleep(0.001); raise ArgumentError, "on purpose" }
                inner.spawn { sleep }
              end
            rescue ArgumentError => error
              error.message
            end
            [sum, failure]
          end
        end
      end
      p values(ractors)
    RUBY
    assert_equal [4.times.map { |n| [4950 + 100 * n, "on purpose"] }.inspect], lines
  end

  # With threads it would hang before Ruby 4.0, so it blocks its Ractor instead.
  def test_calls_that_block
    lines = printed(<<~RUBY)
      backend = ENV["RAFFIA_BACKEND"].to_sym
      ractors = 4.times.map do |number|
        Ractor.new(backend, number) do |backend, number|
          Raffia.run(backend: backend) do |scope|
            8.times.map do |n|
              scope.spawn do
                Raffia.offload do
                  sleep(0.001)
                  n + number - IO.copy_stream("/dev/zero", IO::NULL, 10) + 10
                end
              end
            end.sum(&:value)
          end
        end
      end
      p values(ractors)
    RUBY
    assert_equal [[28, 36, 44, 52].inspect], lines
  end

  def test_files_of_a_ractor
    lines = printed(<<~RUBY)
      backend = ENV["RAFFIA_BACKEND"].to_sym
      ractors = 2.times.map do
        Ractor.new(backend) do |backend|
          Raffia.run(backend: backend) do
            File.open(IO::NULL, "w") do |io|
              [IO.copy_stream("/dev/zero", io, 100_000), io.reopen(IO::NULL, "a").equal?(io)]
            end
          end
        end
      end
      p values(ractors).uniq
    RUBY
    assert_equal ["[[100000, true]]"], lines
  end

  # GC.stress is the whole process's: all Ractors stop for each collection.
  def test_a_spell_of_collections
    lines = printed(<<~RUBY)
      ractors = schedulers(2) do |scheduler, number|
        got = []
        reader, writer = IO.pipe
        4.times do
          GC.stress = true if number.zero?
          5.times { |n| scheduler.launch { sleep(0.0001); got << n } }
          Fiber.schedule { writer.puts("x") }
          Fiber.schedule { got << reader.gets }
          scheduler.run
          GC.stress = false if number.zero?
          GC.start
        end
        got.map(&:to_s).tally.sort
      end
      p values(ractors).uniq
    RUBY
    assert_equal [[[["0", 4], ["1", 4], ["2", 4], ["3", 4], ["4", 4], ["x\n", 4]]].inspect], lines
  end

  # By terminate; by an exception; and with fibers that the end of the Ractor has to wait for.
  def test_ends_with_fibers_that_wait
    lines = printed(<<~RUBY)
      3.times do
        ractors = schedulers do |scheduler, number|
          queue, (reader, writer) = Thread::Queue.new, IO.pipe
          ended = 0
          30.times do |n|
            Fiber.schedule do
              n.odd? ? queue.pop : reader.wait_readable
            ensure
              ended += 1
            end
          end
          sleep(0)
          case number
          when 0
            scheduler.terminate
            ended
          when 1
            scheduler.terminate
            raise "on purpose"
          when 2
            Fiber.schedule { sleep(0.001); queue.close; writer.close }
            Fiber.set_scheduler(nil)
            ended
          else
            scheduler.terminate
            Fiber.set_scheduler(again = Raffia::Scheduler.new(backend: scheduler.backend))
            sum = 0
            10.times { |n| Fiber.schedule { sleep(0); sum += n } }
            again.run
            sum
          end
        end
        ended = ractors.map do |ractor|
          values([ractor]).first
        rescue Ractor::RemoteError => error
          error.cause.message
        end
        GC.start
        p ended
      end
    RUBY
    # Half of the fibers that are left wait in a queue of core's, and have to leave it.
    expected = [15, "on purpose", 30, 45].inspect
    assert_equal [expected] * 3, lines
  end

  # A forked child has one Ractor, whatever its parent was in the middle of.
  def test_a_fork_between_births
    if RUBY_VERSION < "4"
      skip "forking beside Ractors is not safe before Ruby 4.0 (docs/fork_safety.md)"
    end

    lines = printed(<<~RUBY)
      ractors = schedulers(2) do |scheduler, number|
        200.times { Fiber.schedule { sleep(0) } && scheduler.run }
        number
      end
      pid = fork do
        sum = Raffia.run { |scope| 20.times.map { |n| scope.spawn { sleep(0) && n } }.sum(&:value) }
        sum == 190 || exit!(1)
      end
      Process.wait(pid)
      p $?.exitstatus, values(ractors)
    RUBY
    assert_equal ["0", "[0, 1]"], lines
  end
end

SchedulerCase.run(SchedulerRactorsSuite)
