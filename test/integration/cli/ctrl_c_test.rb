# frozen_string_literal: true

require "test_helper"
require "rbconfig"
require "tmpdir"

# Ctrl-C as a terminal sends it: SIGINT to the whole process group of a program that is in the
# middle of its work. The shell must get back, with nothing left behind, and nothing to read but
# where the program was.
class CtrlCTest < Raffia::TestCase
  LIB = File.expand_path("../../../lib", __dir__)
  EXE = File.expand_path("../../../exe/raffia", __dir__)
  STRATEGIES = %i[inline fibers threads ractors processes].freeze
  # The first to go on for long says so.
  WORK = 'proc { |n| n < 5 ? n : ($stdout.write("at work\n"); $stdout.flush; %s) }'
  SLEEPS = "sleep(1000)"
  COMPUTES = "x = 0; (x += 1) while true"
  SWALLOWS = "begin; sleep(1000); rescue Exception; n; end"
  CALL = "Raffia.map(1.., on: ON, workers: 2, chunk: 1, &work)"
  POOL = "pool = Raffia::Pool.new(on: ON, workers: 2, &work)\n(1..100).map { |n| pool.submit(n) " \
    "}.each(&:value)"
  Ended = Struct.new(:status, :err)

  def test_a_call_that_waits
    STRATEGIES.each { |on| assert_plain(interrupt(on, CALL, SLEEPS), on) }
  end

  def test_a_call_that_computes
    STRATEGIES.each { |on| assert_plain(interrupt(on, CALL, COMPUTES), on) }
  end

  # In the caller itself that would be the end of the matter: the program has rescued its interrupt.
  def test_a_call_whose_block_takes_no_notice
    (STRATEGIES - [:inline]).each { |on| assert_plain(interrupt(on, CALL, SWALLOWS), on) }
  end

  def test_a_call_that_tries_again
    (STRATEGIES - [:inline]).each do |on|
      assert_plain(interrupt(on, CALL.sub("chunk: 1", "retries: 9, item_timeout: 900"), SLEEPS), on)
    end
  end

  def test_a_pool_that_stays
    (STRATEGIES - [:inline]).each { |on| assert_plain(interrupt(on, POOL, SLEEPS), on) }
  end

  def test_a_call_in_a_call
    (STRATEGIES - %i[ractors]).product(%i[threads processes]) do |outer, inner|
      nested = "Raffia.map([1, 2], on: ON, workers: 2) { |m| Raffia.map(1.., on: " \
        "#{inner.inspect}, workers: 2, chunk: 1, &work) }"
      assert_plain(interrupt(outer, nested, SLEEPS), "#{inner} in #{outer}")
    end
  end

  def test_raffia_run_says_nothing
    STRATEGIES.each do |on|
      ended = interrupt(on, CALL, SLEEPS, EXE, "run")
      assert_equal([130, ""], [ended.status.exitstatus, ended.err], "on: #{on}")
    end
  end

  private

  def assert_plain(ended, what)
    assert_equal(Signal.list["INT"], ended.status.termsig,
      "on: #{what}: #{ended.status.inspect}\n#{ended.err}")
    assert_match(/\A\S*script\.rb:\d+:in .*Interrupt/, ended.err, "on: #{what}")
    assert_empty(ended.err.lines.grep_v(/script\.rb:\d+:in /), "on: #{what}")
  end

  # @return [Ended] when it has, and all of its group with it
  def interrupt(on, source, work, *runner)
    Dir.mktmpdir do |dir|
      script = File.join(dir, "script.rb")
      File.write(script, "require \"raffia\"\nON = #{on.inspect}\nwork = " \
        "#{format(WORK, work)}\n#{source}\n")
      start(RbConfig.ruby, "-W:no-experimental", "-I#{LIB}", *runner, script) do |pid, out|
        assert_equal("at work\n", out.gets, "on: #{on}")
        ::Process.kill(:INT, -pid)
      end
    end
  end

  def start(*command)
    out, out_writer = IO.pipe
    err, err_writer = IO.pipe
    pid = spawn(*command, out: out_writer, err: err_writer, in: File::NULL, pgroup: true)
    [out_writer, err_writer].each(&:close)
    yield pid, out
    wait_until(30, "it does not end") { @status = ::Process.wait2(pid, ::Process::WNOHANG)&.last }
    wait_until(30, "some of its group are left") { alive_in(pid).empty? }
    Ended.new(@status, err.read)
  ensure
    ::Process.kill(:KILL, -pid) unless @status && alive_in(pid).empty?
    @status = nil
    [out, err].each(&:close)
  end

  # Living processes of a group, without zombies.
  def alive_in(group)
    Dir["/proc/[0-9]*/stat"].select do |path|
      File.read(path).match?(/\) [^Z] \d+ #{group} /)
    rescue SystemCallError
      false
    end
  end
end
