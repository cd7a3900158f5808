# frozen_string_literal: true

require "test_helper"
require "raffia/process/supervisor"
require "support/supervised"
require "tmpdir"

# The number of worker processes follows their load.
class SupervisorAutoscalerTest < Raffia::TestCase
  include TestSupport::Supervising

  Supervisor = Raffia::Process::Supervisor

  # Requests wait while there is a file "busy". SIGUSR1 has the supervisor say its status.
  PROGRAM = <<~RUBY
    autoscale = Raffia::Process::Supervisor::Autoscaler::Settings.new(range: 1..3, cpus: 8,
      interval: 0.05, shrink_after: 0.3,
      load: ->(*) { {wait: File.exist?("busy") ? 1.0 : 0.0} })
    hooks = {on_reopen: -> { say("status", $supervisor.status) }}
    supervise(workers: 1, autoscale: autoscale, hooks: hooks) do |context|
      context.ready!
      context.wait_for_stop
    end
  RUBY

  def scaling(program = PROGRAM)
    Dir.mktmpdir do |folder|
      supervised("Dir.chdir(#{folder.inspect})\n#{program}") do |running|
        assert_equal 0, running.hear("ready").first
        yield running, File.join(folder, "busy")
        assert_stops(running)
      end
    end
  end

  def status(program)
    program.kill(:USR1)
    program.hear("status")
  end

  def test_workers_come_and_go_with_the_load
    scaling do |program, busy|
      File.write(busy, "")
      assert_equal([1, 2], program.hear_all("ready", 2).map(&:first))
      wait_until { program.errors.include?("3 workers from now on: requests wait 1000 ms at 2 of") }
      report = status(program)
      assert_equal(3, report["workers"])
      assert_equal([1, 3, 2, 0], report["autoscaler"].values_at("min", "max", "grown", "shrunk"))
      File.unlink(busy)
      exits = program.hear_all("exit", 2)
      assert_equal([[2, nil, 0], [1, nil, 0]], exits.map { |exit| exit.values_at(0, 2, 3) })
      assert_match(/1 workers from now on: for 0.3 s, each of 2 was used for less than 30 %/,
        program.errors)
    end
  end

  def test_signals_move_the_fewest_workers
    scaling do |program|
      program.kill(:TTIN)
      assert_equal(1, program.hear("ready").first)
      assert_equal(2, status(program)["autoscaler"]["min"])
      program.kill(:TTOU)
      assert_equal(1, program.hear("exit").first)
      program.kill(:TTOU)
      wait_until { program.errors.include?("at least 0 workers: 1 to 3 are possible") }
    end
  end

  # Its workers are counted when it is over.
  def test_no_worker_comes_during_a_restart
    hold = "sleep(0.01) while context.generation > 1 && File.exist?('hold')"
    scaling(PROGRAM.sub("context.ready!", "#{hold}; context.ready!")) do |program, busy|
      File.write(File.join(File.dirname(busy), "hold"), "")
      program.kill(:HUP)
      wait_until { program.errors.include?("gets a successor") }
      File.write(busy, "")
      assert_equal(1, status(program)["workers"])
      File.unlink(File.join(File.dirname(busy), "hold"))
      assert_equal([0, 1, 2], program.hear_all("ready", 3).map(&:first))
      refute_match(/2 workers from now.*restarted: generation/m, program.errors)
    end
  end

  # A worker that does not get ready keeps further ones from coming.
  def test_one_boots_at_a_time
    hold = "sleep(0.01) while context.index == 1 && File.exist?('busy')"
    scaling(PROGRAM.sub("context.ready!", "#{hold}; context.ready!")) do |program, busy|
      File.write(busy, "")
      wait_until { program.errors.include?("2 workers from now on") }
      5.times { assert_equal(2, status(program)["workers"]) }
      File.unlink(busy)
      assert_equal(1, program.hear("ready").first)
    end
  end

  def test_the_cpu_time_of_workers_is_measured
    board = Supervisor::Scoreboards.new(1, 1).board(0)
    worker = Supervisor::WorkerProcess.new(nil, nil, board, 0, 10).tap do |one|
      one.started(::Process.pid)
      one.ready
    end
    slot = Supervisor::Slot.new(0, [], nil).tap { |one| one.assign(worker) }
    sampler = Supervisor::Autoscaler::Sampler.new(->(*place) { {occupancy: place.first + 0.5} })
    assert_equal([0.0, 0.0, 0.5], sampler.take([slot], 0).first.to_h.values)
    used = ::Process.times.then { |times| times.utime + times.stime } + 0.05
    nil until ::Process.times.then { |times| times.utime + times.stime } > used
    now = Raffia::Clock.now
    assert_operator(sampler.take([slot], 1).first.cpu, :>, 0.02)
    board.beat
    assert_in_delta(9, sampler.take([slot], now + 10).first.wait, 2)
  end

  def test_free_memory_is_that_of_the_tightest_group
    Dir.mktmpdir do |root|
      FileUtils.mkdir_p(File.join(root, "app/web"))
      files = {"cgroup" => "0::/app/web\n", "meminfo" => "MemAvailable:  4000 kB\n",
               "app/memory.max" => "3000000", "app/memory.current" => "2000000",
               "app/memory.stat" => "active_file 7\ninactive_file 500000\n",
               "app/web/memory.max" => "max", "app/web/memory.current" => "1"}
      files.each { |name, text| File.write(File.join(root, name), text) }
      free = lambda do
        Raffia::Process::AvailableMemory.bytes(root: root, membership: File.join(root, "cgroup"),
          machine: File.join(root, "meminfo"))
      end
      assert_equal(1_500_000, free.call)
      File.write(File.join(root, "app/memory.max"), "max")
      assert_equal(4_096_000, free.call)
      File.unlink(File.join(root, "meminfo"))
      assert_nil(free.call)
    end
  end
end
