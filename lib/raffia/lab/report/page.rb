# frozen_string_literal: true

require_relative "chart"
require_relative "columns"
require_relative "svg"
require_relative "verdicts"

module Raffia
  module Lab
    module Report
      # The report as one page that needs nothing else: no script, no font, no file beside it.
      class Page
        CSS = File.read(File.join(__dir__, "page.css")).freeze

        # @param data [Hash] of {Document}
        # @return [String]
        def self.of(data) = new(data).to_s

        def initialize(data)
          @data = data
        end

        # @return [String] the same data always give the same page
        def to_s
          <<~HTML
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Raffia lab, #{escape(@data[:started_at][0, 10])}</title>
            <style>
            #{CSS}</style>
            </head>
            <body>
            <main>
            <h1>Raffia lab</h1>
            #{head}
            #{@data[:experiments].map { |outcome| experiment(outcome) }.join("\n")}
            <footer>Bars are medians, the thin lines on them run from the smallest to the largest run (speed-ups: the 95%
            interval of the ratio). A difference that lies inside that interval is noise. Published figures are from other
            machines and other Rubies: compare the ratios, not the seconds.</footer>
            </main>
            </body>
            </html>
          HTML
        end

        private

        def escape(text) = SVG.escape(text)

        def head
          verdict = @data[:checks].map { |name, right| "#{name}: #{{true => "right", false => "WRONG"}.fetch(right, "not run")}" }
          facts = @data[:environment].merge(
            command: @data[:command], started: @data[:started_at], took: "#{@data[:seconds]} s", results: verdict.join(", ")
          )
          facts[:memory] = Words.bytes(facts[:memory]) if facts[:memory]
          facts[:nofile] = "#{facts[:nofile].first} (hard limit #{facts[:nofile].last})"
          note = "<p class=\"bad\">Interrupted: this is what was finished.</p>" if @data[:interrupted]
          "#{note}<dl>#{facts.compact.map { |name, value| "<dt>#{escape(name)}</dt><dd>#{escape(value)}</dd>" }.join("\n")}</dl>"
        end

        def experiment(outcome)
          <<~HTML
            <section id="#{escape(outcome[:name])}">
            <h2>#{escape(outcome[:name])}</h2>
            <p>#{escape(outcome[:title])}</p>
            <p class="soft">#{escape(outcome[:size])}; scale #{format("%g", outcome[:scale])}, #{outcome[:asked]} runs each#{" (interrupted)" unless outcome[:finished]}</p>
            #{charts(outcome)}
            #{table(outcome)}
            #{verdicts(outcome)}
            #{published(outcome)}
            </section>
          HTML
        end

        def charts(outcome)
          better = outcome[:more] ? "longer is better" : "shorter is better"
          parts = {"Median, #{better}" => Chart.figures(outcome),
                   "Speed-up against #{Columns.baseline(outcome)}, longer is better" => Chart.speedups(outcome)}
          "<div class=\"charts\">#{parts.compact.map { |title, svg| "<div><h3>#{escape(title)}</h3>\n#{svg}</div>" }.join("\n")}</div>"
        end

        def table(outcome)
          columns = Columns.of(outcome)
          head = columns.map { |column| "<th scope=\"col\">#{escape(column.head)}</th>" }.join
          rows = columns.map(&:cells).transpose.zip(outcome[:rows]).map do |cells, row|
            "<tr#{" class=\"control\"" if row[:control]}>#{cells.map { |cell| "<td>#{escape(cell)}</td>" }.join}</tr>"
          end
          "<div class=\"table\" tabindex=\"0\"><table><thead><tr>#{head}</tr></thead>\n<tbody>#{rows.join("\n")}</tbody></table></div>"
        end

        def verdicts(outcome)
          items = Verdicts.of(outcome).map { |kind, text| "<li class=\"#{kind}\">#{escape(text)}</li>" }
          "<ul>#{items.join("\n")}</ul>"
        end

        def published(outcome)
          text = Verdicts.published(outcome)
          text ? "<p class=\"soft\">#{escape(text)}</p>" : ""
        end
      end
    end
  end
end
