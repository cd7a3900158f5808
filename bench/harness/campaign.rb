# frozen_string_literal: true

require_relative "gems"
require_relative "machine"
require_relative "run"
require_relative "syscalls"

module Bench
  # All runs of a measurement: each is a process of its own, in rounds, each round in another order.
  class Campaign
    # Kinds of rounds. The first is small, is thrown away, and shows what does not work: what fails
    # in it is not tried again.
    PROBE = {scale: 0.02, seconds: 8}.freeze
    TIMED = {scale: 1.0, seconds: 30}.freeze
    COUNTED = {scale: 0.5, seconds: 30, count: true}.freeze
    # A smoke run has no time for a target that hangs once in each workload.
    PATIENCE = 1

    def initialize(suite, options, log: $stderr)
      @suite = suite
      @options = options
      @log = log
      @gems = Gems.new(options.gems, options.targets, suite.related)
      @samples = Hash.new { |hash, key| hash[key] = [] }
      @notes = []
    end

    # @return [Hash] everything that was found
    def call
      @suite.prepare.call
      Machine.raise_limit
      facts = Machine.facts(@options)
      pairs = choose
      semantics = if @options.quick
        {}
      else
        @suite.semantics.call(pairs.map(&:first).uniq, @options, @gems)
      end
      rounds(pairs)
      {machine: facts, gems: @gems.versions, runs: @options.runs, notes: @notes, semantics:,
       results: results(pairs)}
    end

    private

    def choose
      targets = @options.targets.select { |target| installed(target) }
      plans = @options.plans.select { |plan| possible(plan) }
      targets.product(plans).select { |target, plan| asked(target, plan) }
    end

    def installed(target)
      trouble = target.trouble.call
      unless @gems.installed?(target)
        trouble ||= "the gem #{target.gem} is not installed (see bench/harness/gems.rb)"
      end
      trouble.nil? || note("#{target.name}: skipped, #{trouble}")
    end

    def possible(plan)
      trouble = @suite.trouble.call(plan) or return true
      note("#{plan.name}: skipped, #{trouble}")
    end

    def asked(target, plan)
      return true unless target.without.key?(plan.name)

      reason = target.without[plan.name]
      reason && note("#{target.name}, #{plan.name}: left out, #{reason}")
    end

    # @return [false]
    def note(text)
      @notes << text
      @log.puts(text)
      false
    end

    def rounds(pairs)
      go(pairs, "smoke run", PROBE) if @suite.smoke || @options.quick
      return if @options.quick

      @samples.each_value { |samples| samples.select! { |sample| sample[:error] } }
      @options.runs.times { |round| go(pairs, "round #{round + 1} of #{@options.runs}", TIMED) }
      count(pairs)
    end

    def go(pairs, title, kind)
      started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      pairs.shuffle.each { |target, plan| one(target, plan, kind) unless given_up?(target, plan) }
      @log.puts(format("%s: %.0f s", title,
        Process.clock_gettime(Process::CLOCK_MONOTONIC) - started))
    end

    def given_up?(target, plan)
      return true if @samples[[target.name, plan.name]].any? { |sample| sample[:error] }

      @options.quick &&
        @samples.count { |(name, _), samples|
          name == target.name &&
            samples.any? { |sample| sample[:error] }
        } >= PATIENCE
    end

    def one(target, plan, kind)
      sample = Run.new(@suite, target, plan, @options, @gems, **kind).call
      @log.puts("#{target.name}, #{plan.name}: #{sample[:error]}") if sample[:error]
      @samples[[target.name, plan.name]] << {**sample, counted: kind.key?(:count)}
    end

    # The tracepoint costs time, so system calls have a round of their own.
    def count(pairs)
      return unless @options.syscalls && @suite.columns.include?(:syscalls)

      trouble = Syscalls.trouble
      if trouble
        note("system calls are not counted: #{trouble}")
      else
        go(pairs, "system calls", COUNTED)
      end
    end

    def results(pairs)
      pairs.map do |target, plan|
        {target: target.name, workload: plan.name, samples: @samples[[target.name, plan.name]]}
      end
    end
  end
end
