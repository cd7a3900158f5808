# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

# Ctrl-C as a terminal sends it: SIGINT to the whole group, in the middle of a call.
class PoolInterruptTest < Raffia::TestCase
  LIB = File.expand_path("../../lib", __dir__)

  SCRIPT = <<~RUBY
    require File.exist?("#{LIB}/raffia.rb") ? "raffia" : "raffia/pool"
    on = ARGV[0].to_sym
    $stdout.sync = true
    begin
      Raffia.each(1.., on: on, workers: 2, chunk: 1) do |n|
        (n == 3) ? $stdout.puts("under way") || $stdout.flush : sleep(0.01)
      end
    rescue Interrupt
      puts "interrupted"
      puts "threads " + (Thread.list.size - 1).to_s
      raise
    end
  RUBY

  def interrupt(on)
    output = IO.popen([RbConfig.ruby, "-W:no-experimental", "-I", LIB, "-e", SCRIPT, on.to_s,
      {pgroup: true, err: File::NULL}])
    group = output.pid
    output.gets
    ::Process.kill(:INT, -group)
    rest = output.read
    output.close
    [rest, $?.termsig, group]
  end

  def group_members(group)
    Dir["/proc/[0-9]*/stat"].count do |path|
      File.read(path)[/\) \S \d+ (\d+)/, 1].to_i == group
    rescue
      false
    end # standard:disable Style/RescueModifier
  end

  def strategies
    %i[inline threads processes] + (Raffia.respond_to?(:run) ? [:fibers] : []) +
      (Raffia::Executor::Ractors::PortableBlock.available? ? [:ractors] : [])
  end

  def test_the_call_ends_and_nobody_is_left
    strategies.each do |on|
      rest, signal, group = interrupt(on)
      assert_equal(["interrupted\nthreads 0\n", Signal.list["INT"]], [rest, signal], "on: #{on}")
      wait_until { group_members(group).zero? }
    end
  end
end
