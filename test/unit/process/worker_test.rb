# frozen_string_literal: true

require "test_helper"
require "raffia/base"
require "raffia/process"

class ProcessWorkerTest < Raffia::TestCase
  # An echo, unless something else is said.
  def worker(service = method(:echo))
    assert_no_leaks do
      worker = Raffia::Process::Worker.new { |link| service.call(link) }
      yield worker
    ensure
      worker&.kill
    end
  end

  def echo(link)
    while (frame = link.reader.read)
      link.writer.write(frame)
    end
  end

  def test_frames_go_there_and_back
    worker do |child|
      refute_equal(::Process.pid, child.pid)
      %w[a b].each { |text| assert(child.write(text)) }
      assert_equal(%w[a b], [child.read, child.read])
      assert_predicate(child, :alive?)
    end
  end

  def test_a_worker_that_is_stopped_leaves_by_itself
    worker do |child|
      how = child.tap { child.stop(timeout: PATIENCE) }.exit
      assert_equal([child.pid, nil, 0], how.to_h.values)
      assert_predicate(how, :clean?)
      refute_predicate(child, :alive?)
    end
  end

  def test_stop_ends_what_does_not_listen
    ready = ->(link) { trap(:TERM, "IGNORE") && link.writer.write("ready") && sleep }
    worker(ready) do |child|
      child.read
      child.stop(grace: 0.05)
      assert_equal("SIGKILL", child.exit.signal)
    end
  end

  def test_ensure_blocks_run_on_sigterm
    service = lambda do |link|
      link.writer.write("ready")
      sleep
    ensure
      link.writer.write("cleaned")
    end
    worker(service) do |child|
      child.read
      ::Process.kill(:TERM, child.pid)
      assert_equal("cleaned", child.read)
      assert_equal(Raffia::Process::Child::TERMINATED, child.exit.status)
    end
  end

  def test_ctrl_c_is_the_parents_business
    worker do |child|
      child.write("x")
      child.read
      ::Process.kill(:INT, child.pid)
      child.write("still here")
      assert_equal("still here", child.read)
    end
  end

  def test_how_it_died
    worker do |child|
      ::Process.kill(:KILL, child.pid)
      assert_nil(child.read)
      assert_equal(["SIGKILL", nil], [child.exit.signal, child.exit.status])
      refute(child.write("x"))
    end
    worker(->(_) { ::Process.exit!(9) }) do |child|
      assert_equal([nil, 9], [child.exit.signal, child.exit.status])
    end
  end

  # Its own reaper takes note of the death; no caller has to ask for it.
  def test_death_is_known_without_a_read
    worker do |child|
      ::Process.kill(:KILL, child.pid)
      assert_equal("SIGKILL", child.exit(PATIENCE).signal)
    end
  end

  # The end of the pipe does not come: the grandchild holds it.
  def test_death_is_seen_although_a_grandchild_holds_the_pipe
    service = lambda do |link|
      grandchild = fork { sleep }
      link.writer.write(grandchild.to_s)
      sleep
    end
    worker(service) do |child|
      grandchild = child.read.to_i
      ::Process.kill(:KILL, child.pid)
      assert_nil(child.read)
      assert_equal("SIGKILL", child.exit.signal)
    ensure
      ::Process.kill(:KILL, grandchild)
    end
  end

  def test_what_it_had_written_before_its_death_is_still_read
    service = lambda do |link|
      3.times { |n| link.writer.write(n.to_s) }
      ::Process.kill(:KILL, ::Process.pid)
    end
    worker(service) { |child| assert_equal(["0", "1", "2", nil], Array.new(4) { child.read }) }
  end

  def test_a_worker_that_somebody_else_reaped
    worker do |child|
      ::Process.kill(:KILL, child.pid)
      begin
        ::Process.wait(child.pid)
      rescue Errno::ECHILD
        nil # our own reaper was first
      end
      assert_nil(child.read)
      assert_kind_of(Raffia::Process::Exit, child.exit)
    end
  end

  def test_it_leaves_without_the_parents_at_exit_and_with_its_output
    script = <<~RUBY
      require "raffia/base"
      require "raffia/process"
      at_exit { print "parent's at_exit;" }
      worker = Raffia::Process::Worker.new do |link|
        print "from the child;"
        at_exit { print "never" }
      end
      worker.exit
      worker.stop
    RUBY
    out = output_of(script)
    assert_equal("from the child;parent's at_exit;", out)
  end

  # Activities of a worker when its parent is killed.
  OCCUPATIONS = {
    "asleep" => -> { sleep },
    "in a loop" => -> { nil while true },
    # Holds Ruby's lock, so no thread of the worker can do anything.
    "in C" => -> {
      Fiddle::Function.new(Fiddle.dlopen(nil)["pause"], [], Fiddle::TYPE_INT, need_gvl: true).call
    }
  }.freeze

  OCCUPATIONS.each do |name, occupation|
    define_method(:"test_it_ends_when_its_parent_is_killed_#{name.tr(" ", "_")}") do
      require "fiddle"
      skip "only Linux can end what is in C" if name == "in C" && !RUBY_PLATFORM.include?("linux")
      reader, writer = IO.pipe
      parent = fork do
        Raffia::Process::Worker.new do |_|
          writer.puts(::Process.pid)
          occupation.call
        end
        sleep
      end
      child = reader.gets.to_i
      ::Process.kill(:KILL, parent)
      ::Process.wait(parent)
      wait_until { !running?(child) }
    ensure
      [reader, writer].each(&:close)
    end
  end

  # Perhaps no process is there to reap it.
  def running?(pid)
    File.exist?("/proc/#{pid}/stat") && !File.read("/proc/#{pid}/stat").match?(/\) [ZX] /)
  end

  def test_the_end_of_a_thread_that_started_it_is_not_the_end_of_it
    assert_no_leaks do
      child = Thread.new { Raffia::Process::Worker.new { |link| echo(link) } }.value
      5.times do |n|
        Thread.new { nil }.join
        child.write(n.to_s)
        assert_equal(n.to_s, child.read)
      end
    ensure
      child&.kill
    end
  end

  # Sibling's ends would keep pipes open that should report their end.
  # In a process of its own, which has no pipes of other tests that may be closed meanwhile. The
  # worker has its own three; the outsider has one, its standard output, in the place of ours.
  def test_children_hold_no_ends_of_others
    assert_equal "[3, 0]\n", output_of(<<~'RUBY')
      require "raffia"
      # Distinct pipes, not ends.
      def pipe(fd) = File.readlink("/proc/self/fd/#{fd}")[/pipe:.*/] rescue nil
      def pipes = Dir.children("/proc/self/fd").filter_map { |fd| pipe(fd) }.uniq.size

      $stdin.reopen(File::NULL)
      before = pipes
      first = Raffia::Process::Worker.new { |link| sleep }
      second = Raffia::Process::Worker.new { |link| link.writer.write(pipes.to_s) && sleep }
      outsider = IO.popen("-")
      if outsider.nil?
        print pipes
        $stdout.flush
        exit!
      end
      p [second.read.to_i - before, outsider.read.to_i - before]
      [first, second].each(&:kill)
    RUBY
  end

  def test_the_child_has_an_empty_stack_and_no_scheduler
    service = lambda do |link|
      depth = caller.count { |line| line.include?("minitest") }
      link.writer.write([depth, Fiber.scheduler.inspect, Thread.list.size].join(" "))
    end
    # two threads: its own and the lifeline's
    worker(service) { |child| assert_equal("0 nil 2", child.read) }
  end

  def test_an_interrupted_start_leaves_nothing_behind
    assert_no_leaks do
      20.times do
        # Only where it waits: a caller that was interrupted between the start and the kill would
        # have to know himself.
        starter = Thread.new do
          Thread.handle_interrupt(Interrupt => :on_blocking) do
            Raffia::Process::Worker.new { |link| echo(link) }.kill
          end
        end
        starter.report_on_exception = false
        Thread.pass
        starter.raise(Interrupt)
        begin
          starter.join
        rescue Interrupt
          nil
        end
      end
    end
  end

  # In a process of its own: what other Ractors and threads of this one are in the middle of, a fork
  # by a Ractor may find half done in the child.
  def test_a_worker_of_a_ractor
    assert_equal %(["x", true]\n), output_of(<<~RUBY)
      require "raffia"
      ractor = Ractor.new do
        child = Raffia::Process::Worker.new { |link| link.writer.write(link.reader.read) }
        child.write("x")
        [child.read, child.stop(timeout: 10).clean?]
      end
      p(ractor.respond_to?(:take) ? ractor.take : ractor.value)
    RUBY
  end

  def test_a_block_is_needed
    assert_raises(ArgumentError) { Raffia::Process::Worker.new }
  end

  # In a process of its own, because a limit that was lowered stays.
  def test_where_there_are_not_descriptors_enough_none_is_kept
    reader, writer = IO.pipe
    child = fork do
      ::Process.setrlimit(:NOFILE, 64)
      GC.disable # which would close them too
      taken = []
      loop { taken << File.open(File::NULL) } rescue nil # standard:disable Style/RescueModifier
      taken.pop(3).each(&:close)
      before = taken.size
      error = begin
        Raffia::Process::Worker.new { |_| nil }
      rescue => caught
        caught.class
      end
      loop { taken << File.open(File::NULL) } rescue nil # standard:disable Style/RescueModifier
      writer.print([error, taken.size - before].inspect)
    ensure
      ::Process.exit!(0)
    end
    writer.close
    assert_equal("[Errno::EMFILE, 3]", reader.read)
    ::Process.wait(child)
  ensure
    [reader, writer].each(&:close)
  end

  # A child of other code, forked between two lines of it.
  def test_a_link_that_is_half_made_is_left_to_others_too
    link = Raffia::Process::WorkerConnection
    found = []
    trace = TracePoint.new(:line) do |point|
      half = point.self
      mine = half.instance_variable_get(:@forker)
      half.instance_variable_set(:@forker, nil)
      pipes = half.instance_variables & %i[@down @up @lifeline]
      child = fork do
        ::Process.exit!(pipes.all? { |name| half.instance_variable_get(name).all?(&:closed?) })
      end
      found << [pipes.size, ::Process.wait2(child).last.exitstatus]
      half.instance_variable_set(:@forker, mine)
    end
    made = trace.enable(target: link.instance_method(:initialize)) { link.new }
    made.close
    assert_equal([0, 1, 2, 3], found.map(&:first).uniq)
    assert_equal([0], found.map(&:last).uniq)
  end

  # Ruby 3.4 can leave a child hanging inside of fork. Here a hook of fork does, which from the
  # parent looks the same.
  def test_a_child_that_does_not_begin_to_run_is_replaced
    assert_equal("alive 2", output_of(hanging(1, [0.5, 60, 60])))
  end

  def test_a_fork_that_never_works_is_an_error
    assert_match(/Raffia::Error 3 workers were forked, and none of them began to run.* 0 children/,
      output_of(hanging(9, [0.5] * 3)))
  end

  private

  # A program in which the first forks hang.
  # @param patience [Array<Numeric>] with each of them
  def hanging(forks, patience)
    <<~RUBY
      require "raffia/process"
      Worker = Raffia::Process::Worker
      Worker.send(:remove_const, :FORK_TIMEOUTS)
      Worker::FORK_TIMEOUTS = #{patience}
      seen, say = IO.pipe
      Raffia::Fork.after_child do
        say.syswrite(".")
        before = seen.read_nonblock(99).tap { |dots| say.syswrite(dots) }.size
        sleep if #{forks} > before - 1
      end
      begin
        worker = Worker.new { |link| link.writer.write(link.reader.read) }
        worker.write("alive")
        print worker.read, " ", seen.read_nonblock(99).size
        worker.stop
      rescue Raffia::Error => error
        children = Dir["/proc/self/task/*/children"].sum { |path| File.read(path).split.size }
        print error.class, " ", error.message, " ", children, " children"
      end
    RUBY
  end
end
