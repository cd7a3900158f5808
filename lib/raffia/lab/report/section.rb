# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # An experiment on the page: charts, and the tables with their numbers.
      class Section
        # outcome: of {Outcome}. change: its part of a {Comparison}, or nil.
        def initialize(outcome, change = nil)
          @outcome = outcome
          @change = change
        end

        def to_s
          <<~HTML
            <section class="experiment" id="#{id}" aria-labelledby="#{id}-title">
            <h2 id="#{id}-title">#{id}</h2>
            <p>#{Html.escape(@outcome[:title])}</p>
            <p class="soft">#{Html.escape(size)}</p>
            #{Html.verdicts(Verdicts.of(@outcome))}
            <div class="charts">#{figures.join("\n")}</div>
            #{table}
            #{scaling}
            #{changes}
            #{runs}
            #{published}
            </section>
          HTML
        end

        private

        def id = Html.escape(@outcome[:name])

        def size
          runs = (@outcome[:asked] == 1) ? "1 run" : "#{@outcome[:asked]} runs"
          parts = [@outcome[:size],
            "scale #{format("%g", @outcome[:scale])}, #{runs} " \
              "each#{" (interrupted)" unless @outcome[:finished]}"]
          parts.reject(&:empty?).join("; ")
        end

        def figures
          better = @outcome[:more] ? "longer is better" : "shorter is better"
          speedups = "Speed-up against #{Columns.baseline(@outcome)}, longer is better"
          scaling = ExperimentCharts.scaling(@outcome)
          [figure("Median, #{better}", ExperimentCharts.figures(@outcome)),
            figure(speedups, ExperimentCharts.speedups(@outcome)),
            figure("Speed-up by the number of workers", scaling, scaling&.legend("ideal")),
            figure("Peak memory (PSS), shorter is better",
              ExperimentCharts.memory(@outcome))].compact
        end

        def figure(title, chart, legend = nil)
          Html.figure(title, chart, legend ? Html.legend(legend) : "") if chart
        end

        def table
          Html.table(Columns.of(@outcome), "Figures of #{@outcome[:name]}",
            controls(@outcome[:rows]))
        end

        def scaling
          columns = ScalingColumns.of(@outcome)
          return "" if columns.empty?
          Html.table(columns, ScalingColumns.caption(@outcome),
            ["ideal", *controls(@outcome[:scaling])])
        end

        def changes
          return "" unless @change
          rows = ChangeColumns.rows(@change)
          return "" if rows.empty?
          Html.table(ChangeColumns.of(@change),
            "Since the earlier result. #{ChangeColumns.legend}",
            rows.map { |row| [row[:verdict], ("control" if row[:control])].compact.join(" ") })
        end

        def runs
          columns = RunColumns.of(@outcome)
          return "" if columns.empty?
          "<details><summary>Every run</summary>" \
            "#{Html.table(columns, "Every run of #{@outcome[:name]}")}</details>"
        end

        def published
          text = Verdicts.published(@outcome)
          text ? "<p class=\"soft\">#{Html.escape(text)}</p>" : ""
        end

        def controls(rows) = rows.map { |row| "control" if row[:control] }
      end
    end
  end
end
