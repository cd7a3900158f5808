# frozen_string_literal: true

require "json"

module Mutate
  # Counts of verdicts: the share of killed ones among those that are neither invalid nor
  # equivalent.
  class Report
    # @!attribute killed [Integer] timeouts among them
    Row = Data.define(:component, :killed, :survived, :timeout, :equivalent, :invalid) do
      def counted = killed + survived
      def rate = counted.zero? ? nil : (100.0 * killed / counted).round(1)

      def to_s
        format("%-14s %6s %6d %6d %8d %10d %8d", component, rate ? "#{rate}%" : "-", killed,
          survived, timeout, equivalent, invalid)
      end
    end
    HEAD = format("%-14s %6s %6s %6s %8s %10s %8s", *%w[component rate killed alive timeouts
      equivalent invalid]).freeze

    # @param verdicts [Array<Judge::Verdict>]
    # @param seed [Integer]
    def initialize(verdicts, seed)
      @verdicts = verdicts
      @seed = seed
    end

    # @return [Array<Row>] one for each component, then all
    def rows
      groups = @verdicts.group_by { |verdict| verdict.mutant.component }.sort
      [*groups, ["all", @verdicts]].map { |name, verdicts| row(name, verdicts) }
    end

    # @return [Array<Judge::Verdict>]
    def survivors = @verdicts.select { |verdict| verdict.verdict == :survived }

    # @return [String]
    def to_s
      diffs = survivors.map { |verdict| diff(verdict) }
      alive = diffs.empty? ? [] : ["Survived:", *diffs, ""]
      [*alive, HEAD, *rows, "", "SEED=#{@seed} MUTANTS=#{@verdicts.size}"].join("\n")
    end

    # @return [String]
    def to_json(*)
      rows = self.rows.map { |row| row.to_h.merge(rate: row.rate) }
      mutants = @verdicts.map { |verdict| entry(verdict) }
      JSON.pretty_generate(seed: @seed, mutants: mutants, components: rows)
    end

    private

    def row(name, verdicts)
      counts = Hash.new(0).merge(verdicts.map(&:verdict).tally)
      Row.new(component: name, killed: counts[:killed] + counts[:timeout],
        **%i[survived timeout equivalent invalid].to_h { |state| [state, counts[state]] })
    end

    def diff(verdict)
      "#{verdict.mutant.diff(Sources.read(verdict.mutant.file))}\n  ran #{verdict.by}"
    end

    def entry(verdict)
      mutant = verdict.mutant
      before, after = mutant.lines(Sources.read(mutant.file))
      {file: mutant.file, line: mutant.line, operator: mutant.operator, before: before,
       after: after, verdict: verdict.verdict, by: verdict.by, seconds: verdict.seconds.round(1)}
    end
  end
end
