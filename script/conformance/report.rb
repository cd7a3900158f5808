# frozen_string_literal: true

module Conformance
  # The report at the end: only tests that fail on Raffia alone, and tests that could not run.
  class Report
    MESSAGE = 300
    # Listed failures of one suite: more than that have one cause.
    MOST = 20

    # @param results [Array<Comparison, Campaign::Failure>]
    def initialize(results)
      @results = results
    end

    # @return [Array<String>] lines
    def lines = @results.flat_map { |result| of(result) }

    # @return [Array<Hash>] for JSON
    def data = @results.map { |result| datum(result) }

    # @return [Array<String>] what to shorten when all of them take too long
    def longest(number = 5)
      seconds = @results.grep(Comparison).to_h { |result|
        [result.suite.name, result.outcomes.each_value.sum(&:seconds)]
      }
      seconds.max_by(number, &:last).map { |name, time| "#{name} #{time.round(1)} s" }
    end

    # @return [Array<String>] of one suite
    def of(result)
      if result.is_a?(Campaign::Failure)
        return ["#{result.suite.name}: cannot be run: #{result.message}"]
      end

      broken = result.outcomes.keys.filter_map do |mode|
        why = result.broken(mode)
        "#{result.suite.name} on #{mode}: #{why}" if why
      end
      broken + differences(result) + unsteady(result) + obsolete(result)
    end

    private

    # One entry for a test, with all the modes that it fails on.
    def differences(result)
      tests = result.unexplained.group_by(&:name)
      more = tests.size - MOST
      rest = (more > 0) ? ["#{result.suite.name}: and #{more} more"] : []
      tests.first(MOST).flat_map { |name, all| difference(result, name, all) } + rest
    end

    def difference(result, name, all)
      async = {true => "; async likewise", false => "; async passes"}[all.first.async]
      modes = all.map { |one| "#{one.mode} #{one.status}" }.join(", ")
      message = all.first.message.to_s[0, MESSAGE].lines(chomp: true).first(4)
      ["#{result.suite.name}: #{name}", "    #{modes}#{async}",
        *message.map { |line| "    | #{line}" }]
    end

    def unsteady(result)
      result.outcomes.keys.flat_map do |mode|
        result.unsteady(mode).map { |name|
          "#{result.suite.name} on #{mode}: failed, and passed when repeated: #{name}"
        }
      end
    end

    def obsolete(result)
      result.obsolete.map { |entry|
        "#{result.suite.name}: a known difference is gone: #{entry.why}"
      }
    end

    def datum(result)
      return {suite: result.suite.name, error: result.message} if result.is_a?(Campaign::Failure)

      {suite: result.suite.name, version: result.suite.version, passed: result.passed?,
       runs: result.outcomes.transform_values { |outcome| run(outcome) },
       differences: result.differences.map { |one| one.to_h.merge(known: one.known&.why) },
       unsteady: result.outcomes.keys.to_h { |mode|
         [mode, result.unsteady(mode)]
       }.reject { |_, names| names.empty? }}
    end

    def run(outcome)
      {seconds: outcome.seconds, notes: outcome.notes,
       counts: outcome.results.values.map(&:status).tally}
    end
  end
end
