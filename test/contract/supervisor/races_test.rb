# frozen_string_literal: true

require "test_helper"
require "support/supervised"
require "tmpdir"

# Two changes at a time: a worker is replaced, or its slot taken away, during a restart or the death
# of the process that forks the workers. No slot may stay empty, or keep old code.
class SupervisorRacesTest < Raffia::TestCase
  include TestSupport::Supervising

  # Workers say what code they have, and are not ready while there is a file "hold INDEX"; they do
  # not end while there is a file "stay INDEX". SIGUSR1 runs a piece of the test's code in the
  # supervisor.
  PROGRAM = <<~RUBY
    watched = Module.new { def due(...) = super.tap { |found| say("worn") if found.any? } }
    Raffia::Process::Supervisor::Recycling.prepend(watched)
    settings = {workers: 2, memory_interval: 0.02, memory_limit: 100 << 20,
                hooks: {on_reopen: -> { eval(File.read("usr1")) }}}
    settings[:preload] = -> { File.read("app").tap { |app| say("loaded", app) } }
    supervise(**settings) do |context|
      context.on_message(:grow) { |index| $hold = "x" * (150 << 20) if index == context.index }
      say("boots", [context.index, context.preloaded])
      sleep(0.01) while File.exist?("hold \#{context.index}") && !context.stopping?
      context.ready!
      context.wait_for_stop
      sleep(0.01) while File.exist?("stay \#{context.index}")
    end
  RUBY

  def serving
    Dir.mktmpdir do |folder|
      @folder = folder
      file("app", "one")
      supervised("Dir.chdir(#{folder.inspect})\n#{PROGRAM}") do |program|
        program.hear_all("boots", 2)
        yield program, program.hear_all("ready", 2).to_h
        assert_stops(program)
      end
    end
  end

  def file(name, text = "") = File.write(File.join(@folder, name), text)

  def remove(name) = File.unlink(File.join(@folder, name))

  # Has the supervisor run this.
  def order(program, code)
    file("usr1", "#{code}; say('done')")
    program.kill(:USR1)
    program.hear("done")
  end

  # Kills the process that forks the workers.
  def kill_template(program)
    order(program, "say('templates', $supervisor.status[:templates])")
    program.kill(:KILL, program.hear("templates").last)
  end

  def restart(program, code)
    file("app", code)
    program.kill(:HUP)
  end

  def await(program, text) = wait_until(PATIENCE * 2, text) { program.errors.include?(text) }

  # A worker that has grown waits for its turn while another slot is restarted.
  def test_a_worker_that_grew_before_its_restart_is_not_replaced_by_old_code
    serving do |program|
      file("hold 0")
      restart(program, "two")
      assert_equal([0, "two"], program.hear("boots"))
      order(program, "$supervisor.broadcast(:grow, 1)")
      program.hear("worn")
      remove("hold 0")
      assert_equal([1, "two"], program.hear("boots"))
      _, pid = program.hear_all("ready", 2).last
      await(program, "restarted: generation 2")
      program.kill(:KILL, pid)
      assert_equal([1, "two"], program.hear("boots"))
    end
  end

  def test_a_worker_whose_template_died_while_it_booted_is_replaced_when_it_dies
    serving do |program|
      file("hold 0")
      order(program, "$supervisor.broadcast(:grow, 0)")
      program.hear("boots")
      program.hear("loaded")
      kill_template(program)
      program.hear("loaded")
      remove("hold 0")
      _, pid = program.hear("ready")
      program.kill(:KILL, pid)
      assert_equal(0, program.hear("ready").first)
    end
  end

  def test_a_template_that_cannot_be_forked_again_at_once
    unless system("prlimit", "--version", out: File::NULL)
      skip "prlimit(1) limits open files: of Linux"
    end
    serving do |program, pids|
      program.hear("loaded")
      order(program,
        "say('templates', $supervisor.status[:templates]); Process.setrlimit(:NOFILE, " \
        "File.open('app', &:fileno), 1024)")
      program.kill(:KILL, program.hear("templates").last)
      await(program, "cannot be started again")
      pids.each_value { |pid| refute(gone?(pid)) }
      assert(system("prlimit", "--pid=#{program.pid}", "--nofile=1024:1024"))
      program.hear("loaded")
      program.kill(:KILL, pids[0])
      program.hear("ready")
    end
  end

  def test_a_worker_that_is_taken_away_while_it_is_restarted_does_not_end_the_restart
    serving do |program|
      file("hold 1")
      restart(program, "two")
      assert_equal([[0, "two"], [1, "two"]], program.hear_all("boots", 2))
      program.kill(:TTOU)
      await(program, "restarted: generation 2")
      refute_includes(program.errors, "FAILED")
    end
  end

  # systemd waits for that.
  def test_a_slot_that_was_never_ready_and_is_taken_away_is_waited_for_no_more
    supervised("supervise(workers: 2) { |context| context.ready! if context.index == 0; " \
      "context.wait_for_stop }") do |program|
      program.hear("ready")
      program.kill(:TTOU)
      await(program, "1 worker is ready")
      assert_stops(program)
    end
  end

  # The restart left it out.
  def test_a_worker_that_stays_after_all_gets_the_new_code
    serving do |program, pids|
      file("stay 1")
      program.kill(:TTOU)
      await(program, "1 workers from now on")
      restart(program, "two")
      assert_equal([0, "two"], program.hear("boots"))
      await(program, "restarted: generation 2")
      program.kill(:TTIN)
      await(program, "2 workers from now on")
      remove("stay 1")
      assert_equal([1, "two"], program.hear("boots"))
    end
  end
end
