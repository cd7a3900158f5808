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
      @jobs = [jobs, mutants.size].min
      @index = TestIndex.new
      @nearest = Nearest.new(seconds, @index)
      @equivalents = equivalents
      @speed = 1.0
    end

    # @yieldparam verdict [Judge::Verdict] as they come
    # @return [Array<Judge::Verdict>] in the order in which they were drawn
    def call(&block)
      spaces = Array.new(@jobs) { Workspace.new }
      calibrate(spaces.first) if spaces.any?
      verdicts = judge(spaces, &block)
      @mutants.filter_map { |mutant| verdicts[mutant] }
    ensure
      spaces&.each(&:close)
    end

    private

    def judge(spaces)
      queue = Thread::Queue.new(@mutants).close
      judge = Judge.new(@nearest, method(:limit))
      lock, verdicts = Mutex.new, {}
      threads = spaces.map do |space|
        Thread.new do
          while (mutant = queue.pop)
            verdict = verdict_of(judge, mutant, space)
            lock.synchronize { yield(verdicts[mutant] = verdict) }
          end
        end
      end
      threads.each(&:join)
      verdicts
    ensure
      threads&.each(&:kill)&.each(&:join) # after Ctrl-C: each ends the tests that it runs
    end

    def verdict_of(judge, mutant, space)
      reason = @equivalents.reason(mutant)
      reason ? Judge::Verdict.new(mutant, :equivalent, reason, 0.0) : judge.call(mutant, space)
    end

    # How much slower than in test/times.tsv this machine is: the first mutant's tests, without it.
    def calibrate(space)
      files = @nearest.batches(@mutants.first).first
      expected = files.sum { |file| @index.seconds(file) }
      outcome = Attempt.new(space, files, limit: 10 * expected + 60).call
      @speed = [outcome.seconds / expected, 1.0].max
    end

    def limit(files) = SLACK + MULTIPLE * @speed * files.sum { |file| @index.seconds(file) }
  end
end
