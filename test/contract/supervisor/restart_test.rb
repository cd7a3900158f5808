# frozen_string_literal: true

require "test_helper"
require "support/supervised"
require "tmpdir"

# Workers that work are replaced: by newer code, or because they have grown or aged.
class SupervisorRestartTest < Raffia::TestCase
  include TestSupport::Supervising

  APP = <<~RUBY
    load = -> { eval(File.read(ENV["APP"])) }
    supervise(workers: 2, boot_timeout: BOOT, preload: load) do |context|
      say("app", context.preloaded)
      raise "a bug at boot" if context.preloaded == "does not boot"
      sleep if context.preloaded == "hangs at boot"
      context.ready!
      context.wait_for_stop
    end
  RUBY

  # Says when it has read the code that it is about to load.
  BOOTING = <<~RUBY
    load = -> { File.read(%s).then { |code| [say("loads"), eval(code)].last } }
    supervise(template: false, preload: load) do |context|
      context.ready!
      context.wait_for_stop
    end
  RUBY

  # The test waits for a worker that hangs. A slow one on a busy machine must not count as hanging.
  HANGING = ["sleep", "'hangs at boot'"].freeze

  def with_app(code, boot: 60)
    Dir.mktmpdir do |folder|
      path = File.join(folder, "app.rb")
      File.write(path, code)
      supervised("ENV['APP'] = #{path.inspect}\nBOOT = #{boot}\n#{APP}") do |program|
        pids = program.hear_all("ready", 2).to_h
        program.hear_all("app", 2)
        yield program, path, pids
        assert_stops(program)
      end
    end
  end

  def test_a_restart_brings_new_code
    with_app("'one'") do |program, path, pids|
      File.write(path, "'two'")
      program.kill(:HUP)
      assert_equal(%w[two two], program.hear_all("app", 2))
      news = program.hear_all("ready", 2)
      assert_equal([0, 1], news.map(&:first))
      assert_equal([[0, pids[0], nil, 0], [1, pids[1], nil, 0]], program.hear_all("exit", 2))
      wait_until { program.errors.include?("restarted: generation 2") }
      program.kill(:KILL, news.first.last)
      assert_equal("two", program.hear("app"))
    end
  end

  # With each fault of new code, serving workers continue, and dead ones are replaced by the code
  # that works.
  {"raise 'a bug'" => /new code could not be loaded/,
   "syntax error here" => /new code could not be loaded/, "exit!(0)" => /new code could not be/,
   "sleep" => /new code could not be loaded/,
   "'does not boot'" => /worker 0 of generation 2 could not be started/,
   "'hangs at boot'" => /worker 0 of generation 2 could not be started/}.each do |code, message|
    define_method(:"test_a_restart_that_fails: #{code}") do
      with_app("'one'", boot: HANGING.include?(code) ? 2 : 60) do |program, path, pids|
        File.write(path, code)
        program.kill(:HUP)
        wait_until(PATIENCE * 2) do
          program.errors.match?(/THE RESTART HAS FAILED: .*#{message.source}/)
        end
        pids.each_value { |pid| refute(gone?(pid)) }
        program.kill(:KILL, pids[1])
        assert_equal(1, program.hear("ready").first)
        assert_equal("one", program.hear("app")
          .then { |app| (app == "one") ? app : program.hear("app") })
        File.write(path, "'three'")
        program.kill(:HUP)
        assert_equal(2, program.hear_all("ready", 2).size)
        assert_equal(%w[three three], program.hear_all("app", 2))
      end
    end
  end

  # A restart that begins while the only worker still boots: the worker's "ready" is not its
  # successor's.
  def test_a_restart_during_boot_waits_for_the_successor_itself
    Dir.mktmpdir do |folder|
      app, slow, broken = %w[app slow broken].map { |name| File.join(folder, name) }
      File.write(app, "sleep(0.01) until File.exist?(#{slow.dump}); 'one'")
      supervised(format(BOOTING, app.dump)) do |program|
        program.hear("loads")
        File.write(app, "sleep(0.01) until File.exist?(#{broken.dump}); raise 'a bug'")
        program.kill(:HUP)
        program.hear("loads")
        File.write(slow, "")
        pid = program.hear("ready").last
        File.write(broken, "")
        wait_until(PATIENCE * 2) { program.errors.include?("THE RESTART HAS FAILED") }
        refute(gone?(pid))
        refute_includes(program.errors, "restarted")
        assert_stops(program)
      end
    end
  end

  # Nor does a successor that fails first end the program.
  def test_a_restart_that_fails_during_boot
    Dir.mktmpdir do |folder|
      app, slow = %w[app slow].map { |name| File.join(folder, name) }
      File.write(app, "sleep(0.01) until File.exist?(#{slow.dump}); 'one'")
      supervised(format(BOOTING, app.dump)) do |program|
        program.hear("loads")
        File.write(app, "raise 'a bug'")
        program.kill(:HUP)
        wait_until(PATIENCE * 2) { program.errors.include?("THE RESTART HAS FAILED") }
        File.write(slow, "")
        program.hear("ready")
        assert_stops(program)
      end
    end
  end

  def test_without_preload_workers_load_what_there_is
    Dir.mktmpdir do |folder|
      path = File.join(folder, "app.rb")
      File.write(path, "1")
      supervised("supervise { |context| say('app', eval(File.read(#{path.inspect}))); " \
      "context.ready!; " \
        "context.wait_for_stop }") do |program|
        assert_equal(1, program.hear("app"))
        program.hear("ready")
        File.write(path, "2")
        program.kill(:HUP)
        program.hear("ready")
        assert_equal(2, program.hear("app"))
        program.hear("exit")
        File.write(path, "a bug")
        program.kill(:HUP)
        wait_until(PATIENCE * 2) do
          program.errors.include?("THE RESTART HAS FAILED: worker 0 of generation 3 could not be " \
            "started")
        end
        assert_stops(program)
      end
    end
  end

  def test_without_a_template_process_each_worker_preloads_for_itself
    script = <<~RUBY
      hooks = {before_fork: ->(index) { say("before", [index, Process.pid]) },
               after_fork: ->(context) { say("after", [context.preloaded, Process.pid]) }}
      supervise(workers: 2, template: false, hooks: hooks, preload: -> { Process.pid }) do |context|
        context.ready!
        context.wait_for_stop
      end
    RUBY
    supervised(script) do |program|
      2.times do |round|
        pids = program.hear_all("ready", 2).to_h
        assert_equal(pids.to_a.sort, program.hear_all("before", 2).sort)
        assert_equal(pids.values.sort.map { |pid| [pid, pid] }, program.hear_all("after", 2).sort)
        program.hear_all("exit", 2) if round == 1
        program.kill(:HUP) if round == 0
      end
      assert_stops(program)
    end
  end

  def test_the_old_worker_serves_until_the_new_one_is_ready
    script = <<~RUBY
      supervise(hooks: {on_reopen: -> { $supervisor.broadcast(:who) }}) do |context|
        go = Thread::Queue.new
        context.on_stop { say("asked to leave", context.generation) }
        context.on_message(:who) { say("here", context.generation) }
        context.on_message(:reopen) { go << true if context.generation == 2 }
        context.generation == 1 ? context.ready! : say("boots")
        go.pop && context.ready! if context.generation == 2
        context.wait_for_stop
      end
    RUBY
    supervised(script) do |program|
      program.hear("ready")
      program.kill(:HUP)
      program.hear("boots")
      refute(program.heard?("asked to leave"))
      program.kill(:USR1)
      assert_equal([1, 2], program.hear_all("here", 2).sort)
      assert_equal(1, program.hear("asked to leave"))
      program.hear("ready")
      assert_stops(program)
    end
  end

  def test_a_restart_that_is_asked_for_twice_and_a_stop_in_its_middle
    supervised("supervise(workers: 3) { |context| context.ready!; context.wait_for_stop " \
      "}") do |program|
      program.hear_all("ready", 3)
      program.kill(:HUP)
      wait_until { program.errors.include?("restarting") }
      program.kill(:HUP)
      program.hear_all("exit", 6)
      wait_until { program.errors.include?("generation 3") }
      program.kill(:HUP)
      assert_stops(program)
    end
  end

  def test_a_worker_that_has_grown_gets_a_successor
    script = <<~RUBY
      supervise(workers: 2, memory_interval: 0.05, LIMIT: 64 * 1024 * 1024) do |context|
        context.ready!
        hold = "x" * (100 * 1024 * 1024) if context.index == 1 && context.board.add(0) == 1
        context.wait_for_stop
        say("left", hold.to_s.size)
      end
    RUBY
    {memory_limit: /successor: \d+ bytes \(PSS\), the limit is 67108864/,
     total_memory: /all workers have \d+ bytes/}.each do |limit, message|
      supervised(script.sub("LIMIT", limit.to_s)) do |program|
        program.hear_all("ready", 2)
        assert_equal(1, program.hear("ready").first)
        assert_equal(100 * 1024 * 1024, program.hear("left"))
        assert_match(message, program.errors)
        assert_stops(program)
      end
    end
  end

  def test_workers_that_are_old_enough
    supervised("supervise(workers: 2, memory_interval: 0.02, max_age: 0.1) { |context| " \
    "context.ready!; " \
      "context.wait_for_stop }") do |program|
      assert_equal([0, 1], program.hear_all("ready", 6).map(&:first).uniq.sort)
      program.hear_all("exit", 4).each { |exit| assert_equal([nil, 0], exit[2..]) }
      assert_stops(program)
    end
  end
end
