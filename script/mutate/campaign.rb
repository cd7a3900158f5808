# frozen_string_literal: true

module Mutate
  # Judges mutants side by side, each job in a workspace of its own.
  class Campaign
    # Seconds that a batch gets beyond a multiple of what it took: for starts, and for waits of
    # tests that fail.
    SLACK = 20
    MULTIPLE = 4

    # @param mutants [Array<Mutant>]
    # @param jobs [Integer]
    # @param seconds [Numeric] of tests for one mutant
    def initialize(mutants, jobs:, seconds:, equivalents: Equivalents.new)
      @mutants = mutants
      @jobs = Jobs.new([jobs, mutants.size].min)
      @nearest = Nearest.new(seconds)
      @equivalents = equivalents
      @lock = Mutex.new
    end

    # @yieldparam verdict [Judge::Verdict] as they come
    # @return [Array<Judge::Verdict>] in the order in which they were drawn
    def call
      judge = Judge.new(@nearest, method(:limit))
      verdicts = {}
      @jobs.call(@mutants) do |mutant, space|
        verdict = verdict_of(judge, mutant, space)
        @lock.synchronize { yield(verdicts[mutant] = verdict) }
      end
      @mutants.filter_map { |mutant| verdicts[mutant] }
    end

    private

    def verdict_of(judge, mutant, space)
      reason = @equivalents.reason(mutant)
      reason ? Judge::Verdict.new(mutant, :equivalent, reason, 0.0) : judge.call(mutant, space)
    end

    def limit(batch) = SLACK + MULTIPLE * batch.seconds
  end
end
