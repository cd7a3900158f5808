# frozen_string_literal: true

require_relative "chart"
require_relative "change_columns"
require_relative "markup"

module Raffia
  module Lab
    module Report
      # What a reader wants to know first: was it right, what is the fastest, where was it measured.
      class Overview
        # @param data [Hash] of {Document}
        def initialize(data)
          @data = data
          @outcomes = data[:experiments]
        end

        # @return [String]
        def to_s
          <<~HTML
            <section id="overview" aria-labelledby="overview-title">
            <h2 id="overview-title">Overview</h2>
            #{Markup.verdicts(state)}
            #{tiles}
            #{table}
            #{chart}
            #{comparison}
            </section>
          HTML
        end

        private

        # @return [Array<Array(Symbol, String)>]
        def state
          names = ->(verdict) { @data[:checks].select { |_, right| right == verdict }.keys.join(", ") }
          [([:bad, "WRONG RESULTS in #{names[false]}: their times mean nothing"] if @data[:checks].value?(false)),
            ([:good, "right results in #{names[true]}"] if @data[:checks].value?(true)),
            ([:warn, "nothing was checked in #{names[nil]}"] if @data[:checks].value?(nil)),
            ([:warn, "Interrupted: this is what was finished."] if @data[:interrupted])].compact
        end

        def tiles
          environment = @data[:environment]
          goals = @outcomes.flat_map { |outcome| outcome[:goals] }.reject { |goal| goal[:met].nil? }
          runs = @outcomes.flat_map { |outcome| outcome[:rows] }.sum { |row| row[:runs].size }
          tiles = {"Ruby" => ruby(environment), "machine" => "#{environment[:cores]} cores, #{environment[:cpu]}",
                   "measured" => "#{runs} runs in #{@data[:seconds].round} s", "goals met" => ("#{goals.count { |goal| goal[:met] }} of #{goals.size}" if goals.any?)}
          "<dl class=\"tiles\">#{tiles.compact.map { |name, value| "<div><dt>#{Markup.escape(name)}</dt><dd>#{Markup.escape(value)}</dd></div>" }.join}</dl>"
        end

        def ruby(environment)
          rubies = environment[:rubies]&.map { |each| each[:label] }
          return rubies.join(", ") if rubies
          "#{environment[:ruby][/\A\S+ \S+/]}, YJIT #{environment[:yjit] ? "on" : "off"}"
        end

        def table
          rows = @outcomes.map { |outcome| [outcome, best(outcome)] }
          columns = [
            Column.of(rows, "experiment", 0) { |outcome, _| outcome[:name] },
            Column.of(rows, "result", 0) { |outcome, _| {true => "✓ right", false => "✗ WRONG"}.fetch(outcome[:check], "! not checked") },
            Column.of(rows, "best", 0) { |_, row| row ? Words.label(row) : Words::NONE },
            Column.of(rows, "median", 0) { |outcome, row| row ? Words.figure(row[:median], outcome[:unit]) : Words::NONE },
            Column.of(rows, "speed-up (95% interval)", 0) { |outcome, row| (row && row[:speedup]) ? "#{Words.interval(row[:speedup])} vs #{Columns.baseline(outcome)}" : Words::NONE },
            Column.of(rows, "peak PSS", 0) { |_, row| row ? Words.bytes(row[:pss]) : Words::NONE },
            Column.of(rows, "goals", 0) { |outcome, _| goals(outcome) }
          ]
          Markup.table(columns, "The best of each experiment, controls left aside", rows.map { |outcome, _| "bad" if outcome[:check] == false })
        end

        # @return [Hash, nil] the row that is ahead of all others
        def best(outcome)
          rows = outcome[:rows].select { |row| row[:median] && !row[:control] }
          outcome[:more] ? rows.max_by { |row| row[:median] } : rows.min_by { |row| row[:median] }
        end

        def goals(outcome)
          goals = outcome[:goals].reject { |goal| goal[:met].nil? }
          goals.empty? ? Words::NONE : "#{goals.count { |goal| goal[:met] }} of #{goals.size} met"
        end

        def chart
          pairs = @outcomes.map { |outcome| [outcome, best(outcome)] }.select { |_, row| row && row[:speedup] }
          pairs.empty? ? "" : "<div class=\"charts single\">#{Markup.figure("Best speed-up of each experiment, longer is better", Chart.best(pairs))}</div>"
        end

        def comparison
          return "" unless (comparison = @data[:comparison])
          "<h3>What has changed</h3>\n<p>#{Markup.escape(ChangeColumns.summary(comparison))}</p>" \
            "#{Markup.verdicts(comparison[:warnings].map { |warning| [:warn, warning] })}"
        end
      end
    end
  end
end
