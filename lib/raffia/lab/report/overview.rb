# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # First section of a report: whether results are right, the best rows, the machine.
      class Overview
        def initialize(data)
          @data = data
          @outcomes = data[:experiments]
        end

        def to_s
          <<~HTML
            <section id="overview" aria-labelledby="overview-title">
            <h2 id="overview-title">Overview</h2>
            #{Html.verdicts(state)}
            #{tiles}
            #{table}
            #{chart}
            #{comparison}
            </section>
          HTML
        end

        private

        def state
          [*Verdicts.overall(@outcomes),
            ([:warn, "Interrupted: this is what was finished."] if @data[:interrupted])].compact
        end

        def tiles
          environment = @data[:environment]
          goals = @outcomes.flat_map { |outcome| outcome[:goals] }.reject { |goal| goal[:met].nil? }
          met = goals.count { |goal| goal[:met] }
          runs = @outcomes.flat_map { |outcome| outcome[:rows] }.sum { |row| row[:runs].size }
          tiles = {"Ruby" => ruby(environment),
                   "machine" => "#{environment[:cores]} cores, #{environment[:cpu]}",
                   "measured" => "#{runs} runs in #{@data[:seconds].round} s",
                   "goals met" => ("#{met} of #{goals.size}" if goals.any?)}
          items = tiles.compact.map do |name, value|
            "<div><dt>#{Html.escape(name)}</dt><dd>#{Html.escape(value)}</dd></div>"
          end
          "<dl class=\"tiles\">#{items.join}</dl>"
        end

        def ruby(environment)
          rubies = environment[:rubies]&.map { |each| each[:label] }
          return rubies.join(", ") if rubies
          EnvironmentSummary.ruby(environment, environment[:ruby][/\A\S+ \S+/])
        end

        def table
          css = @outcomes.map { |outcome| "bad" if outcome[:check] == false }
          Html.table(BestColumns.of(@outcomes),
            "The best of each experiment, controls left aside", css)
        end

        def chart
          pairs = @outcomes.map { |outcome| [outcome, BestColumns.best(outcome)] }
            .select { |_, row| row && row[:speedup] }
          return "" if pairs.empty?
          chart = Html.figure("Best speed-up of each experiment, longer is better",
            ExperimentCharts.best(pairs))
          "<div class=\"charts single\">#{chart}</div>"
        end

        def comparison
          return "" unless (comparison = @data[:comparison])
          "<h3>What has changed</h3>\n<p>#{Html.escape(ChangeColumns.summary(comparison))}</p>" \
            "#{Html.verdicts(comparison[:warnings].map { |warning| [:warn, warning] })}"
        end
      end
    end
  end
end
