# frozen_string_literal: true

require_relative "batch"
require_relative "slots"

module TestRun
  # Decides what a failure beside other tests means: the test runs alone, and if it passes there,
  # many times under load. A test that fails again is a race, in the test or in the code.
  class Rerun
    # More failures than this are no coincidence.
    MANY = 10
    TIMES = 20
    # Processes at a time, on purpose more than there are cores.
    LOAD = 4

    # @param failed [Array<Hash>] file:, name:
    # @param out [IO]
    def initialize(failed, out: $stdout)
      @files = failed.map { |failure| failure[:file] }.uniq
      @names = failed.map { |failure| failure[:name] }.uniq
      @out = out
    end

    attr_reader :names

    # @return [Boolean] whether all of them pass alone, and again under load
    def passed?
      return false if @names.size > MANY

      @out.puts "", "# Once more, in a process of their own: #{@names.join(", ")}"
      alone? && under_load?
    end

    private

    def alone?
      batch = batches(1).first
      Slots.new(1).run([batch]) { @out.puts batch.output unless batch.passed? }
      batch.passed?
    end

    def under_load?
      @out.puts "# #{TIMES} times more, #{LOAD} at a time"
      again = batches(TIMES)
      Slots.new(LOAD).run(again) { |batch| @out.print batch.passed? ? "." : "F" }
      @out.puts
      failures = again.reject(&:passed?)
      return true if failures.empty?

      @out.puts failures.first.output, "bin/test: #{failures.size} of #{TIMES} runs under load " \
        "failed: #{@names.join(", ")}"
      false
    end

    def batches(count)
      pattern = "/^(?:#{@names.map { |name| Regexp.escape(name) }.join("|")})$/"
      Array.new(count) { |number| Batch.new("run #{number + 1}", @files, ["-n", pattern]) }
    end
  end
end
