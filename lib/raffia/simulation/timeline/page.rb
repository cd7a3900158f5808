# frozen_string_literal: true

require "digest"
require_relative "../../charts/svg"
require_relative "drawing"
require_relative "selection"
require_relative "text"

module Raffia
  module Simulation
    class Timeline
      # A failure as one page of HTML without script, font or other files.
      #
      # @api private
      class Page
        CSS = ::File.read(::File.join(__dir__, "page.css")).freeze
        LEGEND = [["bar", "runs"], ["life", "is ready or waits"], ["cut", "preempted"],
          ["arrow", "starts, wakes"], ["packet", "packet"], ["drop", "lost packet"],
          ["strike", "raises"]].freeze
        private_constant :CSS, :LEGEND

        def initialize(failure)
          @failure = failure
          @trace = failure.trace
        end

        def to_s
          <<~HTML
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="#{policy}">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>#{escape(title)}</title>
            <style>#{style}</style>
            </head>
            <body>
            <main>
            <header><h1>#{escape(title)}</h1>
            <pre class="error">#{escape(plain(@failure.error.message))}</pre></header>
            <dl>
            #{facts}
            </dl>
            #{timeline}
            #{backtrace}
            <h2>Run it again</h2>
            <pre>#{escape(instructions)}</pre>
            </main>
            </body>
            </html>
          HTML
        end

        private

        def title = plain(@failure.error.class.name.to_s)

        # The width below which the lanes scroll.
        def style = @style ||= CSS + ".lanes { min-width: #{drawing.least_width}px; }\n"

        def policy = "default-src 'none'; style-src '#{digest}'"

        # Without the heading.
        def instructions
          @failure.instructions.join("\n").lines.drop(1).join.gsub(/^  /, "")
        end

        def digest = "sha256-#{[::Digest::SHA256.digest(style)].pack("m0")}"

        def drawing = @drawing ||= Drawing.new(@trace)

        def facts
          schedule = @failure.schedule
          {"seed" => @failure.exploration_seed || @failure.seed, "run" => @failure.run,
           "Ruby" => schedule.ruby, "preemptions" => @failure.switches,
           "choices" => "#{schedule.deviations} of #{schedule.choices.size} differ from the " \
             "default",
           "shrinking" => "#{@failure.shrink_runs} run#{"s" unless @failure.shrink_runs == 1}, " \
             "from #{@failure.original.deviations} such choices"}
            .map { |name, value| "<div><dt>#{escape(name)}</dt><dd>#{escape(value)}</dd></div>" }
            .join("\n")
        end

        def timeline
          return "<p>The run was not recorded.</p>" unless @trace

          <<~HTML
            <h2>Timeline</h2>
            <ul class="legend">#{LEGEND.map { |css, name| legend(css, name) }.join}</ul>
            <div class="scroll" tabindex="0" role="region" aria-label="Timeline">
            #{drawing}
            </div>
          HTML
        end

        def legend(css, name)
          shape =
            if css == "bar"
              Charts::SVG.element(:rect, {class: "bar", x: 9, y: 1, width: 6, height: 14, rx: 3})
            elsif css == "cut"
              Charts::SVG.element(:circle, {class: "cut", cx: 12, cy: 8, r: 5})
            else
              Charts::SVG.element(:line, {class: css, x1: 2, y1: 8, x2: 22, y2: 8})
            end
          "<li><svg width=\"24\" height=\"16\" aria-hidden=\"true\">#{shape}</svg>" \
            "#{escape(name)}</li>"
        end

        def backtrace
          lines = @failure.error.backtrace.to_a
          return "" if lines.empty?

          "<h2>Backtrace</h2>\n<pre>#{escape(plain(lines.join("\n")))}</pre>"
        end

        def plain(text)
          text.to_s.encode(::Encoding::UTF_8, invalid: :replace, undef: :replace).scrub
            .gsub(/[[:cntrl:]&&[^\n]]+/, " ")
        end

        def escape(text) = Charts::SVG.escape(text)
      end
    end
  end
end
