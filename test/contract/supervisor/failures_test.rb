# frozen_string_literal: true

require "test_helper"
require "support/supervised"

# Faults of workers, and of the machine.
class SupervisorFailuresTest < Raffia::TestCase
  include TestSupport::Supervising

  def test_it_gives_up_when_no_worker_boots
    {"a block that raises" => "raise 'the database is away'", "an exit" => "exit(3)",
     "a signal" => "Process.kill(:KILL, Process.pid); sleep"}.each do |name, work|
      supervised("supervise(crash_limit: 3) { |context| #{work} }") do |program|
        assert_equal(1, program.wait, name)
        assert_equal(3, program.hear_all("exit", 3).size)
        refute(program.heard?("exit"), name)
        assert_match(/workers died 3 times before they were ready.*Giving up/, program.errors)
      end
    end
  end

  def test_it_does_not_give_up_while_a_worker_serves
    script = <<~RUBY
      supervise(workers: 2, crash_limit: 2) do |context|
        exit(1) if context.index == 1 && context.board.add(0) < 4
        context.ready!
        context.wait_for_stop
      end
    RUBY
    supervised(script) do |program|
      assert_equal([0, 1], program.hear_all("ready", 2).map(&:first).sort)
      assert_equal([[1, 1]] * 3, program.hear_all("exit", 3)
        .map { |index, _, _, status| [index, status] })
      assert_stops(program)
    end
  end

  def test_a_worker_that_never_becomes_ready_is_killed
    {"it sleeps" => "sleep", "it is stopped" => "Process.kill(:STOP, Process.pid)",
     "it runs C code" => "hang_in_c"}.each do |name, work|
      supervised("#{HANG_IN_C}; supervise(boot_timeout: 0.3, crash_limit: 2) { |context| #{work} " \
        "}") do |program|
        assert_equal(%w[SIGKILL SIGKILL], program.hear_all("exit", 2).map { |exit| exit[2] }, name)
        assert_equal(1, program.wait)
        assert_match(/was not ready within 0\.3 s: it is killed/, program.errors)
      end
    end
  end

  def test_workers_that_hang_are_replaced
    {"it is stopped" => "Process.kill(:STOP, Process.pid)", "it runs C code" => "hang_in_c",
     "it forgot" => "sleep"}.each do |name, work|
      script = <<~RUBY
        #{HANG_IN_C}
        supervise(hang_timeout: 0.3, hang_grace: 0.1, drain_timeout: 1) do |context|
          context.ready!
          context.beat
          if context.board.add(0) == 1
            #{work}
          else
            context.beat until context.wait_for_stop(0.02)
          end
        end
      RUBY
      supervised(script) do |program|
        pid = program.hear("ready").last
        assert_equal([0, pid, "SIGKILL", nil], program.hear("exit"), name)
        refute_equal(pid, program.hear("ready").last)
        assert_match(/has no heartbeat: dump/, program.errors)
        assert_stops(program)
      end
    end
  end

  def test_a_worker_that_does_not_read_delays_nobody
    script = <<~RUBY
      supervise(workers: 2) do |context|
        context.on_message("count") { |number| say("count", number) if number == 4_999 }
        context.ready!
        Process.kill(:STOP, Process.pid) if context.index == 0 && context.board.add(0) == 1
        sleep(0.01) until context.index == 1 && context.boards.of(0).any? { |board| board[0] == 1 }
        context.send("flood") if context.index == 1
        context.wait_for_stop
      end
    RUBY
    script = script.sub("supervise(", "supervise(hooks: {on_message: ->(*) { 5_000.times { " \
      "|number| $supervisor.broadcast('count', number); sleep(0.002) if (number % 10).zero? } " \
      "}}, drain_timeout: 1, ")
    supervised(script) do |program|
      program.hear_all("ready", 2)
      program.kill(:TERM)
      assert_includes(program.hear_all("exit", 2).map { |exit| exit[2] }, "SIGKILL")
      assert_equal(0, program.wait)
    end
  end

  def test_no_more_processes
    ["", "preload: -> {}, "].each do |preload|
      supervised("supervise(#{preload}crash_limit: 2) { |context| context.ready!; sleep }",
        refuse: "56:11") do |program|
        assert_equal(1, program.wait)
        assert_match(/Resource temporarily unavailable/, program.errors)
      end
    end
  end

  def test_sockets_that_cannot_be_made
    supervised("supervise(slot: ->(_) { raise Errno::EADDRINUSE, 'port 80' }) { |context| " \
      "context.ready! }") do |program|
      assert_equal(1, program.wait)
      assert_match(/Address already in use - port 80/, program.errors)
    end
  end

  def test_what_cannot_be_preloaded
    ["raise 'a bug'", "load '/nonexistent.rb'", "exit(5)",
      "Process.kill(:KILL, Process.pid); sleep"].each do |code|
      supervised("supervise(preload: -> { #{code} }) { |context| context.ready! }") do |program|
        assert_equal(1, program.wait, code)
        assert_match(/what the workers share could not be loaded/, program.errors)
      end
    end
  end

  def test_what_never_ends_loading
    supervised("supervise(preload: -> { sleep }, boot_timeout: 0.3) { |context| context.ready! " \
      "}") do |program|
      assert_equal(1, program.wait)
      assert_match(/what the workers share could not be loaded/, program.errors)
    end
  end

  def test_a_stop_does_not_wait_for_what_loads
    {"preload: -> { say('loads'); loop {} }" => "context.ready!",
     "hang_grace: 0.2" => "say('loads'); loop {}"}.each do |setting, work|
      %i[TERM INT].each do |signal|
        supervised("supervise(workers: 2, #{setting}) { |context| #{work} }") do |program|
          program.hear("loads")
          program.kill(signal)
          assert_equal(0, program.wait, setting)
          refute_match(/could not be forked/, program.errors)
        end
      end
    end
  end

  def test_a_worker_that_is_ready_after_the_stop_may_finish
    script = <<~RUBY
      supervise(hang_grace: 1) do |context|
        say("loads")
        sleep(0.01) until context.stopping?
        context.ready!
        sleep(1.3)
        say("finished")
      end
    RUBY
    supervised(script) do |program|
      program.hear("loads")
      program.kill(:TERM)
      program.hear("finished")
      assert_equal(0, program.wait)
    end
  end

  def test_a_template_that_dies_is_made_again_while_the_workers_serve
    supervised("supervise(preload: -> { say('template', Process.pid); Process.pid }) { |context| " \
      "say('of', context.preloaded); context.ready!; context.wait_for_stop }") do |program|
      template = program.hear("template")
      pid = program.hear("ready").last
      program.hear("of")
      program.kill(:KILL, template)
      another = program.hear("template")
      refute(program.heard?("exit"))
      program.kill(:KILL, pid)
      program.hear("ready")
      assert_equal(another, program.hear("of"))
      assert_stops(program)
    end
  end

  def test_a_killed_worker_waits_for_the_template_that_dies_with_it
    supervised("supervise(preload: -> { say('template', Process.pid) }) { |context| " \
    "context.ready!; " \
      "context.wait_for_stop }") do |program|
      template = program.hear("template")
      pid = program.hear("ready").last
      [template, pid].each { |each| program.kill(:KILL, each) }
      refute_equal(pid, program.hear("ready").last)
      assert_stops(program)
    end
  end

  # The kills may repeat without limit: each time all workers are made again.
  def test_kills_from_outside_are_no_crash_loop
    script = <<~RUBY
      supervise(crash_limit: 3, preload: -> { say("template", Process.pid) }) do |context|
        context.ready!
        context.wait_for_stop
      end
    RUBY
    supervised(script) do |program|
      9.times do
        pids = [program.hear("template"), program.hear("ready").last]
        pids.each { |pid| program.kill(:KILL, pid) }
      end
      program.hear("ready")
      assert_stops(program)
    end
  end

  # The process that is to fork the workers is killed while it loads, or they are while they boot.
  def test_kills_before_workers_are_ready_are_none_either
    script = <<~RUBY
      count = Raffia::Process::Supervisor::Scoreboards.new(1, 1).board(0, 0)
      load = lambda do
        number = count.add(0)
        say("template", Process.pid)
        sleep if number.between?(2, 4)
      end
      supervise(crash_limit: 3, preload: load) do |context|
        Process.kill(:KILL, Process.pid) if context.board.add(0).between?(2, 6)
        context.ready!
        context.wait_for_stop
      end
    RUBY
    supervised(script) do |program|
      worker = program.hear("ready").last
      4.times { program.kill(:KILL, program.hear("template")) }
      program.kill(:KILL, worker)
      refute_equal(worker, program.hear("ready").last)
      assert_equal("SIGKILL", program.hear_all("exit", 6).last[2])
      assert_stops(program)
    end
  end

  def test_a_worker_with_children_of_its_own
    script = <<~RUBY
      supervise(preload: -> {}) do |context|
        say("child", spawn("sleep 60"))
        context.ready!
        context.wait_for_stop
      end
    RUBY
    supervised(script) do |program|
      pid = program.hear("ready").last
      child = program.hear("child")
      program.kill(:KILL, pid)
      program.hear("ready")
      program.kill(:KILL, child) # the supervisor is its parent by now
      wait_until { gone?(child) && !File.exist?("/proc/#{child}") }
      program.kill(:KILL, program.hear("child"))
      assert_stops(program)
    end
  end
end
