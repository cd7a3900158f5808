# frozen_string_literal: true

require "json"
require "tempfile"

module Bench
  # One process that measures one sample, and what came of it.
  class Run
    ROOT = File.expand_path("../..", __dir__)

    # @param suite [Suite]
    # @param target [Target]
    # @param scale [Float] the part of the workload's operations that is done
    # @param seconds [Numeric] how long it may take
    # @param count [Boolean] count system calls, too, which costs time
    def initialize(suite, target, plan, options, gems, scale:, seconds:, count: false)
      @suite = suite
      @target = target
      @plan = plan
      @options = options
      @gems = gems
      @scale = scale
      @seconds = seconds +
        suite.boot.then { |boot| boot.respond_to?(:call) ? boot.call(plan) : boot }
      @count = count
    end

    # @return [Hash] the sample, or {error: String}
    def call
      Tempfile.create("bench-errors") do |errors|
        output, status = execute(errors)
        next JSON.parse(output.lines.last, symbolize_names: true) if status&.success?

        {error: status ? reason(errors) : "no result after #{@seconds} s"}
      end
    end

    private

    def execute(errors)
      reads, writes = IO.pipe
      pid = Process.spawn({**@gems.env, **@target.env}, *command, out: writes, err: errors,
        in: File::NULL, pgroup: true, chdir: ROOT)
      writes.close
      output = read(reads)
      Process.kill(:KILL, -pid) unless output
      [output, wait(pid, output)]
    ensure
      reads.close
    end

    def command
      scale = @scale * @target.share_of(@plan)
      [RbConfig.ruby, *@options.flags, "-Ilib", @suite.child, @target.name, @plan.name, scale.to_s,
        *("count" if @count)]
    end

    # @return [String, nil] nil when it takes too long
    def read(reads)
      output = +""
      deadline = now + @seconds
      while (rest = deadline - now).positive? && reads.wait_readable(rest)
        chunk = reads.read_nonblock(65_536, exception: false)
        return output if chunk.nil?

        output << chunk unless chunk == :wait_readable
      end
    end

    def wait(pid, output)
      Process.wait(pid)
      $? if output
    end

    def reason(errors)
      errors.rewind
      lines = errors.read.lines.map(&:strip).reject(&:empty?)
      (lines.grep(/ \([A-Z](?:\w|::)*\)\z|^load: |^limit: |\[BUG\]/).first || lines.last ||
        "it ended without a word").gsub("#{ROOT}/", "")
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
