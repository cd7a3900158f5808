# frozen_string_literal: true

module Conformance
  # Writes down each test as it begins and ends (see record.rb), and says which ones are not to be
  # run.
  class Recorder
    # The real clock, before a suite replaces it.
    CLOCK = Process.method(:clock_gettime)
    TIME = /\d\d:\d\d:\d\d(?:\.\d+)?/

    def initialize(plan)
      @file = File.open(plan["record"], "a").tap { |file| file.sync = true }
      @done = plan["done"].to_h { |name| [name, true] }
      @only = plan["only"]&.to_h { |name| [name, true] }
      @never = plan["never"].map { |pattern| Regexp.new(pattern) }
      @folder = Dir.pwd
      @seen = Hash.new(0)
      @owner = Process.pid
      @inside = false
    end

    # Runs the block, which returns [status, message, value], unless this test is not to be run.
    # @return [Object] the block's value; nil if it was not run
    def test(name)
      # A test inside of another, as suites of test frameworks have them, or one in a forked child.
      return yield.last if @inside || Process.pid != @owner

      name = unique(name)
      return unless run?(name)

      record(name) { yield }
    end

    # At the end of the process, unless a test ends it.
    def done
      write("done") if Process.pid == @owner && !@inside
    end

    private

    def record(name)
      @inside = true
      write("begin #{name.dump}")
      started = now
      status, message, value = yield
      write("end #{name.dump}\t#{status}\t#{clean(message).dump}\t#{(now - started).round(3)}")
      @inside = false # not after an exception, which ends the process
      value
    end

    def now = CLOCK.call(Process::CLOCK_MONOTONIC)

    # Two tests may have one name; their order is the same in each mode.
    def unique(name)
      # Some names hold the inspection of an object, the folder or the time, which is another in
      # each mode.
      name = clean(name).gsub(/0x\h{8,}/, "0x...").gsub(@folder, ".").gsub(TIME, "(time)")
      number = @seen[name] += 1
      (number == 1) ? name : "#{name} ##{number}"
    end

    def run?(name)
      return false if @done[name] || (@only && !@only[name])

      @never.none? { |pattern| pattern.match?(name) }
    end

    def clean(text) = text.to_s.dup.force_encoding("UTF-8").scrub[0, 2000]

    # In one system call, and not through the scheduler: what a hook breaks must not break the
    # record.
    def write(line) = @file.syswrite("#{line}\n")
  end
end
