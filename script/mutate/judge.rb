# frozen_string_literal: true

require_relative "attempt"

module Mutate
  # Decides about a mutant. A failure counts only if the same test fails again with the mutant and
  # passes without it: a test that is disturbed by a busy machine kills nothing.
  class Judge
    # @!attribute verdict [Symbol] :killed, :timeout (killed, too), :survived, :equivalent, or
    #   :invalid when its tests do not pass without it
    # @!attribute by [String, nil] the test that killed it, or the files that were run
    Verdict = Data.define(:mutant, :verdict, :by, :seconds)
    TRIES = 2

    # @param nearest [Nearest]
    # @param limits [#call] seconds for a batch of test files
    # @param attempt [#call] runs tests: workspace, files, limit:, only:
    def initialize(nearest, limits, attempt = Attempt.method(:call))
      @nearest = nearest
      @limits = limits
      @attempt = attempt
      @sound = {}
      @lock = Mutex.new
    end

    # @param mutant [Mutant]
    # @param workspace [Workspace]
    # @return [Verdict]
    def call(mutant, workspace)
      started = now
      batches = @nearest.batches(mutant)
      verdict, by = try_all(mutant, workspace, batches)
      Verdict.new(mutant, verdict, by, now - started)
    end

    private

    def try_all(mutant, workspace, batches)
      passed = 0
      batches.each do |files|
        verdict, by = try(mutant, workspace, files)
        return [verdict, by] if %i[killed timeout].include?(verdict)

        passed += 1 if verdict == :passed
      end
      [passed.zero? ? :invalid : :survived, batches.flatten.join(" ")]
    end

    def try(mutant, workspace, files)
      TRIES.times do
        outcome = workspace.with(mutant) { run(workspace, files) }
        return [:passed] if outcome.state == :passed
        return [:unsound] unless sound?(workspace, files, outcome)
        next if outcome.state == :failed && !again?(mutant, workspace, files, outcome)

        return [(outcome.state == :timeout) ? :timeout : :killed, outcome.test || files.join(" ")]
      end
      [:passed]
    end

    def again?(mutant, workspace, files, outcome)
      workspace.with(mutant) { run(workspace, files, outcome.test).state != :passed }
    end

    # Whether the same passes on what is in the checkout.
    def sound?(workspace, files, outcome)
      key = [files, outcome.test]
      known = @lock.synchronize { @sound[key] }
      return known unless known.nil?

      sound = run(workspace, files, outcome.test).state == :passed
      @lock.synchronize { @sound[key] = sound }
    end

    def run(workspace, files, only = nil)
      @attempt.call(workspace, files, limit: @limits.call(files), only: only)
    end

    def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
  end
end
