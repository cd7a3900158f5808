# frozen_string_literal: true

require "test_helper"

# Actors at the end of their process, in a forked child, and at a
# Ctrl-C.
class ActorExitTest < Raffia::TestCase
  ACTOR = <<~'RUBY'
    require "raffia/actor"
    $stdout.sync = true
    class Witness < Raffia::Actor
      def on_stop(reason) = puts("stopped: #{reason}")
      def echo(value) = value
      def perform(&block) = instance_exec(&block)
    end
  RUBY

  def run_program(code, &block)
    reader, writer = IO.pipe
    lib = File.expand_path("../../../lib", __dir__)
    pid = ::Process.spawn(RbConfig.ruby, "-W0", "-I", lib, "-e",
      ACTOR + code, out: writer, err: writer)
    writer.close
    block&.call(pid, reader)
    [reader.read, ::Process.wait2(pid).last]
  ensure
    reader.close
  end

  def test_on_stop_runs_at_the_end_of_the_process
    output, status = run_program("Witness.spawn.echo(1); Witness.spawn(on: :threads).echo(1)")
    assert_equal("stopped: shutdown\nstopped: shutdown\n", output)
    assert_predicate(status, :success?)
  end

  def test_and_after_exit_and_errors
    assert_equal(["stopped: shutdown\n", 3],
      run_program("Witness.spawn.echo(1); exit(3)")
        .then { |text, status| [text, status.exitstatus] })
    output, status = run_program("Witness.spawn.echo(1); raise 'boom'")
    assert_match(/stopped: shutdown/, output)
    assert_match(/boom/, output)
    assert_equal(1, status.exitstatus)
  end

  def test_what_does_not_end_in_time_is_left
    output, = run_program(<<~RUBY)
      class Stubborn < Witness
        def on_stop(reason) = sleep
      end
      Stubborn.spawn
      witness = Witness.spawn
      ended = Raffia::Actor.shutdown(0.05)
      witness.join
      puts ended
      exit!
    RUBY
    assert_equal("stopped: shutdown\nfalse\n", output)
  end

  def test_ctrl_c_ends_them_and_a_second_one_does_not_wait
    output, status = run_program(<<~RUBY) { |pid, reader| interrupt_twice(pid, reader) }
      class Stubborn < Witness
        def on_stop(reason) = (puts "stopping") || sleep
      end
      Stubborn.spawn
      puts "ready"
      sleep
    RUBY
    assert_equal("INT", Signal.signame(status.termsig.to_i), output)
  end

  def interrupt_twice(pid, reader)
    assert_equal("ready\n", reader.gets)
    ::Process.kill(:INT, pid)
    assert_equal("stopping\n", reader.gets)
    ::Process.kill(:INT, pid)
  end

  def test_ctrl_c_in_a_run_ends_its_actors
    interrupt = ->(pid, reader) { reader.gets.then { ::Process.kill(:INT, pid) } }
    output, status = run_program(<<~RUBY, &interrupt)
      Raffia.run do
        Witness.spawn.echo(1)
        busy = Witness.spawn
        busy.async.perform { puts("ready") && nil || sleep }
        sleep
      end
    RUBY
    assert_equal(2, output.scan("stopped: ").size, output)
    assert_equal("INT", Signal.signame(status.termsig.to_i), output)
  end

  # The supervisor waits for it as long as it is to, and then as for one that was killed.
  def test_one_that_hangs_in_on_stop_needs_no_second_ctrl_c
    interrupt = ->(pid, reader) { reader.gets.then { ::Process.kill(:INT, pid) } }
    output, status = run_program(<<~RUBY, &interrupt)
      class Stubborn < Witness
        def on_stop(reason) = (puts "stopping") || sleep
      end
      Raffia.run do
        Raffia::Supervisor.spawn { |children| children.child(Stubborn, shutdown: 0.01) }
        puts "ready"
        sleep
      end
    RUBY
    assert_match(/\Astopping\n.*left to itself/m, output)
    assert_equal("INT", Signal.signame(status.termsig.to_i), output)
  end

  def test_the_actors_of_a_parent_are_not_those_of_its_child
    need_fork
    output, = run_program(<<~RUBY)
      parents = Witness.spawn(name: :parents)
      parents.echo(1)
      threads = Witness.spawn(on: :threads)
      threads.echo(1)
      pid = fork do
        p Raffia::Actor[:parents], parents.alive?, parents.reason
        begin
          parents.echo(1)
        rescue Raffia::ActorDied => error
          puts error.message
        end
        p Witness.spawn(name: :parents).echo(2), Witness.spawn(on: :threads).echo(3)
      end
      Process.wait(pid)
      puts "parent"
      p parents.echo(4), threads.echo(5)
    RUBY
    assert_equal(<<~TEXT, output.gsub(/Witness#\d+/, "Witness"))
      nil
      false
      :forked
      #<Witness :parents dead> has ended: forked
      2
      3
      stopped: shutdown
      stopped: shutdown
      parent
      4
      5
      stopped: shutdown
      stopped: shutdown
    TEXT
  end

  def test_futures_of_before_a_fork_are_not_answered_in_the_child
    need_fork
    output, = run_program(<<~RUBY)
      gate = Thread::Queue.new
      actor = Witness.spawn(on: :threads)
      futures = [actor.future.perform { gate.pop }, actor.future.echo(1)]
      futures << futures.last.then { puts "never" }
      sleep(0.01) until gate.num_waiting == 1
      waiting = Thread.new { futures.each(&:wait) }
      sleep(0.01) until waiting.stop?
      pid = fork do
        futures.each { |future| puts future.value(60) rescue puts $!.reason }
        exit!
      end
      Process.wait(pid)
      gate << :open
      p futures.first(2).map(&:value)
      exit!
    RUBY
    assert_equal("forked\nforked\nforked\n[:open, 1]\n", output.sub("never\n", ""))
  end

  def test_a_child_that_is_forked_in_a_method
    need_fork
    output, = run_program(<<~'RUBY')
      actor = Witness.spawn
      actor.perform { Process.wait(fork { puts(Witness.spawn(on: :threads).echo(1)); exit!(0) }) }
      puts "still #{actor.echo(:here)}"
    RUBY
    assert_equal("1\nstill here\nstopped: shutdown\n", output)
  end

  def test_a_trap_handler_may_send
    output, = run_program(<<~RUBY)
      actor = Witness.spawn
      Signal.trap(:USR1) { actor.async.perform { puts "from a handler" } }
      Process.kill(:USR1, Process.pid)
      sleep(0.01) until actor.stats[:handled] == 1
    RUBY
    assert_equal("from a handler\nstopped: shutdown\n", output)
  end

  def test_a_run_that_is_killed_buries_its_actors
    output, = run_program(<<~RUBY)
      actor = nil
      thread = Thread.new { Raffia.run { (actor = Witness.spawn).echo(1) && sleep } }
      sleep(0.01) until actor && thread.stop?
      thread.kill.join
      p actor.status
    RUBY
    assert_equal("dead", output[/:(\w+)/, 1], output)
  end

  def test_and_those_that_are_linked_and_their_callers
    output, = run_program(<<~RUBY)
      actors = nil
      thread = Thread.new do
        thread.report_on_exception = false
        Raffia.run do
          three = Array.new(3) { Witness.spawn }
          three.each_cons(2) { |one, other| one.perform { link(other) && nil } }
          actors = three
          sleep
        end
      end
      sleep(0.01) until actors
      callers = actors.map do |actor|
        Thread.new do
          actor.perform { sleep }
        rescue Raffia::ActorDied
          "received"
        end
      end
      begun = -> { actors.all? { |actor| actor.stats[:handled].positive? } }
      sleep(0.01) until begun.call && callers.all?(&:stop?) && thread.stop?
      thread.kill.join
      p actors.map(&:status), callers.map(&:value)
    RUBY
    assert_equal("[:dead, :dead, :dead]\n[\"received\", \"received\", \"received\"]\n",
      output.lines.last(2).join, output)
  end

  def test_no_loop_can_be_started
    output, = run_program(<<~RUBY)
      ::Process.setrlimit(:NOFILE, 24)
      pipes = []
      begin
        loop { pipes << IO.pipe }
      rescue Errno::EMFILE
        begin
          Witness.spawn
        rescue SystemCallError, LoadError
          puts("received")
        end
      end
      pipes.flatten.each(&:close)
      p Witness.spawn.echo(1)
    RUBY
    assert_equal("received\n1\nstopped: shutdown\n", output)
  end

  def test_actors_within_a_ractor
    need_ractors
    output, = run_program(<<~RUBY)
      class Quiet < Raffia::Actor
        def echo(value) = value
      end
      ractor = Ractor.new do
        Raffia.run { [Quiet.spawn(name: :mine).echo(1), Raffia::Actor.names] }
      end
      p ractor.take, Raffia::Actor.names
    RUBY
    assert_equal("[1, [:mine]]\n[]\n", output)
  end
end
