# frozen_string_literal: true

require_relative "../../charts"
require_relative "best_columns"
require_relative "change_columns"
require_relative "columns"
require_relative "document"
require_relative "environment_summary"
require_relative "experiment_charts"
require_relative "html"
require_relative "overview"
require_relative "run_columns"
require_relative "scaling_columns"
require_relative "section"
require_relative "verdicts"

module Raffia
  module Lab
    module Report
      # The report as one page without script, font, or other files.
      class Page
        CSS = [File.join(__dir__, "page.css"), Charts::CSS].map { |file| File.read(file) }.join
          .freeze
        NOTE = <<~HTML
          <footer><p>Bars are medians. The line with two ends on a bar is the 95% interval (a
          bootstrap over the runs), the dots are the runs.
          A speed-up whose interval holds 1.0 is noise: these runs cannot tell the two apart; its
          bar is only an outline. Hatched bars are controls, the same work without Raffia. Dashed
          bars are published figures from other machines and other Rubies: compare their ratios,
          not their seconds. PSS is the memory of all processes of a run, shared pages counted
          once.</p></footer>
        HTML

        # The same data always give the same page.
        def self.of(data) = new(data).to_s

        def initialize(data)
          @data = data
        end

        def to_s
          <<~HTML
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>#{Html.escape(title)}</title>
            <style>
            #{CSS}</style>
            </head>
            <body>
            #{Charts::SVG::PATTERNS}<main>
            <header><h1>Raffia lab</h1>
            <p class="soft">#{Html.escape(subtitle)}</p>
            #{navigation}</header>
            #{Overview.new(@data)}
            #{sections.join("\n")}
            #{environment}
            #{NOTE}</main>
            </body>
            </html>
          HTML
        end

        private

        def title = "Raffia lab, #{@data[:started_at][0, 10]}: #{names.join(", ")}"

        def subtitle = "#{@data[:started_at][0, 16].tr("T", " ")}, #{@data[:command]}"

        def names = @data[:experiments].map { |outcome| outcome[:name] }

        def sections
          @data[:experiments].map do |outcome|
            change = @data.dig(:comparison, :experiments)
              &.find { |each| each[:name] == outcome[:name] }
            Section.new(outcome, change)
          end
        end

        def navigation
          links = ["overview", *names, "environment"].map do |name|
            "<a href=\"##{Html.escape(name)}\">#{Html.escape(name)}</a>"
          end
          "<nav aria-label=\"Sections\">#{links.join(" ")}</nav>"
        end

        def environment
          <<~HTML
            <section id="environment" aria-labelledby="environment-title">
            <h2 id="environment-title">Environment</h2>
            #{Html.facts(facts)}
            <p>Everything that was measured, each run included:
            <a download="raffia-lab.json" href="#{json}">the JSON of this page</a>.</p>
            </section>
          HTML
        end

        def facts
          facts = @data[:environment].merge(command: @data[:command], started: @data[:started_at],
            took: "#{@data[:seconds]} s", seed: @data[:seed])
          facts[:yjit] = facts[:yjit] ? "on" : "off"
          facts[:memory] = Format.bytes(facts[:memory]) if facts[:memory]
          if facts[:nofile]
            facts[:nofile] = "#{facts[:nofile].first} (hard limit #{facts[:nofile].last})"
          end
          facts[:rubies] = EnvironmentSummary.rubies(@data[:environment])
          facts.transform_keys { |name| name.to_s.tr("_", " ") }
        end

        # A link that carries its file, because the page is one file without script.
        def json = "data:application/json;base64,#{[Document.json(@data)].pack("m0")}"
      end
    end
  end
end
