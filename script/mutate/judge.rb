# frozen_string_literal: true

require_relative "attempt"

module Mutate
  # Decides about a mutant. A failure counts only if the same test fails again with the mutant and
  # passes without it: a test that is disturbed by a busy machine kills nothing.
  class Judge
    # @!attribute verdict [Symbol] :killed, :timeout (killed, too), :survived, :equivalent, or
    #   :invalid when its tests do not pass without it
    # @!attribute by [String, nil] the test that killed it, or what was run
    Verdict = Data.define(:mutant, :verdict, :by, :seconds)
    TRIES = 2

    # @param nearest [Nearest]
    # @param limits [#call] seconds for a batch of tests
    # @param attempt [#call] runs tests: workspace, files, limit:, names:
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
      batches.each do |batch|
        verdict, by = try(mutant, workspace, batch)
        return [verdict, by] if %i[killed timeout].include?(verdict)

        passed += 1 if verdict == :passed
      end
      [passed.zero? ? :invalid : :survived, batches.map(&:to_s).uniq.join(" ")]
    end

    def try(mutant, workspace, batch)
      TRIES.times do
        outcome = workspace.with(mutant) { run(workspace, batch) }
        return [:passed] if outcome.state == :passed

        failed = outcome.test ? batch.with(names: [outcome.test]) : batch
        return [:unsound] unless sound?(workspace, failed)
        next if outcome.state == :failed && !again?(mutant, workspace, failed)

        return [(outcome.state == :timeout) ? :timeout : :killed, outcome.test || batch.to_s]
      end
      [:passed]
    end

    def again?(mutant, workspace, batch)
      workspace.with(mutant) { run(workspace, batch).state != :passed }
    end

    # Whether the same passes on what is in the checkout.
    def sound?(workspace, batch)
      known = @lock.synchronize { @sound[batch] }
      return known unless known.nil?

      sound = run(workspace, batch).state == :passed
      @lock.synchronize { @sound[batch] = sound }
    end

    def run(workspace, batch)
      @attempt.call(workspace, batch.files, limit: @limits.call(batch), names: batch.names)
    end

    def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
  end
end
