# frozen_string_literal: true

require "test_helper"
require "support/supervised"

# Workers are started, replaced and ended, in real processes.
class SupervisorTest < Raffia::TestCase
  include TestSupport::Supervising

  SERVE = "{ |context| context.ready!; context.wait_for_stop; say('left', context.index) }"

  def test_workers_start_and_drain_on_term
    supervised("supervise(workers: 3) #{SERVE}") do |program|
      assert_equal([0, 1, 2], program.hear_all("ready", 3).map(&:first).sort)
      program.kill(:TERM)
      assert_equal([0, 1, 2], program.hear_all("left", 3).sort)
      assert_equal(0, program.wait)
    end
  end

  def test_a_dead_worker_is_replaced
    supervised("supervise(workers: 2) #{SERVE}") do |program|
      pids = program.hear_all("ready", 2).to_h
      program.kill(:KILL, pids[1])
      assert_equal([1, pids[1], "SIGKILL", nil], program.hear("exit"))
      index, pid = program.hear("ready")
      assert_equal(1, index)
      refute_equal(pids[1], pid)
      assert_stops(program)
    end
  end

  # Where SIGCHLD is ignored, the kernel reaps the children. Signal.trap does not do that.
  IGNORE_CHILDREN = <<~RUBY
    require "fiddle"
    signal = Fiddle::Function.new(Fiddle::Handle::DEFAULT["signal"],
      [Fiddle::TYPE_INT, Fiddle::TYPE_VOIDP], Fiddle::TYPE_VOIDP)
    Thread.new do
      sleep(0.01) until $supervisor&.status&.fetch(:state) == :running
      signal.call(Signal.list["CHLD"], 1) # SIG_IGN
      say("ignores")
    end
  RUBY

  def test_a_dead_worker_that_somebody_else_has_reaped_is_replaced
    supervised("#{IGNORE_CHILDREN}; supervise(workers: 1) #{SERVE}") do |program|
      _, pid = program.hear("ready")
      program.hear("ignores")
      program.kill(:KILL, pid)
      assert_equal([0, pid, nil, nil], program.hear("exit"))
      index, successor = program.hear("ready")
      assert_equal(0, index)
      refute_equal(pid, successor)
      assert_stops(program)
    end
  end

  def test_no_process_outlives_a_supervisor_that_is_killed
    script = "supervise(workers: 2, preload: -> { say('template', Process.pid) }) " \
      "{ |context| context.ready!; sleep }"
    supervised(script) do |program|
      pids = program.hear_all("ready", 2).map(&:last) << program.hear("template")
      program.kill(:KILL)
      assert_equal("KILL", program.wait)
      wait_until { pids.all? { |pid| gone?(pid) } }
    end
  end

  def test_no_worker_outlives_it_while_it_runs_c_code
    supervised("#{HANG_IN_C}; supervise { |context| context.ready!; hang_in_c }") do |program|
      pid = program.hear("ready").last
      program.kill(:KILL)
      program.wait
      wait_until { gone?(pid) }
    end
  end

  def test_a_worker_that_is_asked_to_leave_finishes_and_is_replaced
    script = <<~RUBY
      supervise do |context|
        context.ready!
        say("begun", context.index)
        context.wait_for_stop
        say("finished", Process.pid)
      end
    RUBY
    supervised(script) do |program|
      pid = program.hear("ready").last
      program.hear("begun")
      program.kill(:TERM, pid)
      assert_equal(pid, program.hear("finished"))
      assert_equal([0, pid, nil, 0], program.hear("exit"))
      refute_equal(pid, program.hear("ready").last)
      assert_stops(program)
    end
  end

  def test_a_terminals_ctrl_c_drains_once_and_kills_at_the_second
    script = "supervise(workers: 2) { |context| context.ready!; " \
      "context.on_stop { say('asked', context.index) }; sleep }"
    supervised(script) do |program|
      program.hear_all("ready", 2)
      program.kill(:INT, -program.pid)
      program.hear_all("asked", 2)
      program.kill(:INT, -program.pid)
      assert_equal(%w[SIGKILL SIGKILL], program.hear_all("exit", 2).map { |fact| fact[2] })
      assert_equal(0, program.wait)
    end
  end

  def test_a_worker_that_does_not_finish_is_killed
    script = "supervise(drain_timeout: 0.2) { |context| context.ready!; " \
      "context.on_stop { say('asked') }; sleep }"
    supervised(script) do |program|
      program.hear("ready")
      program.kill(:TERM)
      program.hear("asked")
      assert_equal("SIGKILL", program.hear("exit")[2])
      assert_equal(0, program.wait)
      assert_match(/did not finish within 0\.2 s/, program.errors)
    end
  end

  def test_what_is_preloaded_is_there_and_hooks_are_called_where_they_belong
    script = <<~RUBY
      hooks = {before_fork: ->(index) { say("before_fork", [index, Process.pid]) },
               after_fork: ->(context) { say("after_fork", context.index) },
               before_worker_shutdown: ->(context) { say("shutdown", context.index) },
               on_stop: -> { say("stop", Process.pid) }}
      supervise(hooks: hooks, preload: -> { say("loaded", Process.pid); {value: 1} }) do |context|
        at_exit { say("at_exit") }
        say("preloaded", context.preloaded)
        context.ready!
        context.wait_for_stop
      end
    RUBY
    supervised(script) do |program|
      program.hear("ready")
      assert_equal({"value" => 1}, program.hear("preloaded"))
      assert_equal([0, program.hear("loaded")], program.hear("before_fork"))
      assert_equal(0, program.hear("after_fork"))
      program.kill(:TERM)
      assert_equal(program.pid, program.hear("stop"))
      assert_equal(0, program.hear("shutdown"))
      program.hear("at_exit")
      assert_equal(0, program.wait)
    end
  end

  def test_hooks_that_raise_are_said_and_end_nothing
    names = %w[on_worker_ready on_worker_exit on_restart on_reopen on_stop]
    hooks = names.map { |name| "#{name}: ->(*) { raise 'broken #{name}' }" }.join(", ")
    script = "supervise(hooks: {#{hooks}}) { |context| context.ready!; " \
      "say('up', context.generation); context.wait_for_stop }"
    supervised(script) do |program|
      assert_equal(1, program.hear("up"))
      program.kill(:USR1)
      program.kill(:HUP)
      assert_equal(2, program.hear("up"))
      assert_stops(program)
      names.each { |name| assert_match(/broken #{name}/, program.errors) }
    end
  end

  def test_signals_that_workers_are_told_of
    script = <<~RUBY
      supervise(workers: 2, hooks: {on_reopen: -> { say("supervisor reopens") }}) do |context|
        %w[dump reopen].each { |name| context.on_message(name) { say(name, context.index) } }
        context.ready!
        context.wait_for_stop
      end
    RUBY
    supervised(script) do |program|
      program.hear_all("ready", 2)
      program.kill(:QUIT)
      assert_equal([0, 1], program.hear_all("dump", 2).sort)
      program.kill(:USR1)
      program.hear("supervisor reopens")
      assert_equal([0, 1], program.hear_all("reopen", 2).sort)
      program.kill(:USR2)
      wait_until { program.errors.include?("USR2: only `raffia serve`") }
      assert_stops(program)
    end
  end

  def test_the_supervisor_runs_in_a_program_that_has_other_children
    script = <<~RUBY
      other = spawn("sleep 60")
      Thread.new do
        sleep(0.01) until $supervisor&.status&.fetch(:state) == :running
        Process.kill(:KILL, other)
        Process.wait(other)
        say("mine", $?.termsig)
      end
      supervise #{SERVE}
    RUBY
    supervised(script) do |program|
      assert_equal(9, program.hear("mine"))
      assert_stops(program)
    end
  end

  def test_a_program_that_raises_leaves_no_worker
    script = <<~RUBY
      hooks = {on_message: ->(*) { raise Exception, "the loop is torn" }}
      supervise(hooks: hooks, preload: -> {}) do |context|
        context.ready!
        context.send(:tear)
        sleep
      end
    RUBY
    supervised(script) do |program|
      pid = program.hear("ready").last
      assert_equal(1, program.wait)
      assert_match(/the loop is torn/, program.errors)
      wait_until { gone?(pid) }
    end
  end

  def test_signals_are_understood_when_it_says_so
    script = <<~RUBY
      supervisor = Raffia::Process::Supervisor.new do |context|
        context.ready! && context.wait_for_stop
      end
      supervisor.run { say('begun'); sleep(0.05) }
      say('over')
    RUBY
    supervised(script) do |program|
      program.hear("begun")
      %i[HUP USR1 USR2 TERM].each { |signal| program.kill(signal) }
      program.hear("over")
      assert_equal(0, program.wait)
    end
  end

  def test_it_runs_once
    script = <<~RUBY
      supervisor = Raffia::Process::Supervisor.new { |context| context.ready!; context.leave }
      Thread.new { sleep(0.01) until supervisor.status&.fetch(:state) == :running; supervisor.stop }
      say('first', supervisor.run)
      begin
        supervisor.run
      rescue Raffia::Closed => error
        say('second', error.message)
      end
    RUBY
    supervised(script) do |program|
      assert_equal(0, program.hear("first"))
      assert_equal("a supervisor runs once", program.hear("second"))
    end
  end
end
