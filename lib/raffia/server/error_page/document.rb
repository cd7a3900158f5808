# frozen_string_literal: true

require "cgi/escape"

module Raffia
  class Server
    class ErrorPage
      # The page for browsers: one file, no script. All text is escaped.
      #
      # @api private
      class Document
        STYLE = <<~CSS
          :root { color-scheme: light dark; --line: #d5d7dd; --soft: #f5f6f8; --dim: #5c6370;
            --mark: #fde9e7; --red: #b3261e }
          @media (prefers-color-scheme: dark) { :root { --line: #3a3f4a; --soft: #1d2027;
            --dim: #a0a6b3; --mark: #4a2320; --red: #ff8a80 } }
          * { box-sizing: border-box }
          body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 4rem;
            font: 16px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText }
          h1 { font-size: 1.5rem; margin: 0; color: var(--red); overflow-wrap: anywhere }
          h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; overflow-wrap: anywhere }
          h2 small, .place { color: var(--dim); font-weight: normal }
          .message { font-size: 1.1rem; margin: .5rem 0 1rem; white-space: pre-wrap;
            overflow-wrap: anywhere }
          code, pre, td, th { font: 13px/1.6 ui-monospace, Menlo, Consolas, monospace }
          .place { overflow-wrap: anywhere; margin: 0 0 .25rem }
          pre { margin: 0; padding: .5rem 0; overflow-x: auto; border: 1px solid var(--line);
            border-radius: 6px; background: var(--soft) }
          pre span { display: block; min-width: max-content; padding: 0 .75rem }
          pre .current { background: var(--mark) }
          pre b { display: inline-block; width: 4ch; margin-right: 1.5ch; text-align: right;
            color: var(--dim); font-weight: normal }
          pre .foreign { color: var(--dim) }
          details { margin-top: .5rem }
          summary { cursor: pointer; padding: .25rem 0 }
          table { border-collapse: collapse; width: 100% }
          td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0;
            border-top: 1px solid var(--line); overflow-wrap: anywhere; font-weight: normal }
          th { color: var(--dim); width: 30% }
          footer { margin-top: 2rem; color: var(--dim); font-size: .875rem }
        CSS
        private_constant :STYLE

        def initialize(causes, request)
          @causes = causes
          @request = request
        end

        def to_s
          first, *others = @causes
          <<~PAGE
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>#{escape(first.name)}: #{escape(first.message[0, 100])}</title>
            <style>#{STYLE}</style>
            </head>
            <body>
            <main>
            <h1>#{escape(first.name)}</h1>
            #{details(first)}
            #{others.map { |cause| section(cause) }.join}
            #{request}
            </main>
            <footer>Raffia shows this page in development to clients of this machine only.</footer>
            </body>
            </html>
          PAGE
        end

        private

        def section(cause)
          "<section><h2><small>caused by</small> #{escape(cause.name)}</h2>#{details(cause)}" \
            "</section>\n"
        end

        def details(cause)
          "<p class=message>#{escape(cause.message)}</p>#{source(cause)}#{backtrace(cause)}"
        end

        def source(cause)
          lines = cause.source.map do |number, line, current|
            "<span#{" class=current" if current}><b>#{number}</b>#{escape(line)}</span>"
          end
          place = "<p class=place><code>#{escape(cause.place.to_s)}</code></p>"
          lines.empty? ? place : "#{place}<pre>#{lines.join}</pre>"
        end

        def backtrace(cause)
          return "" if cause.backtrace.empty?

          frames = cause.backtrace.map do |frame|
            "<span#{" class=foreign" unless cause.own?(frame)}>#{escape(frame)}</span>"
          end
          "<details><summary>Backtrace (#{frames.size} frames)</summary>" \
            "<pre>#{frames.join}</pre></details>"
        end

        def request
          rows = @request.fields.map do |name, value|
            "<tr><th scope=row>#{escape(name)}</th><td>#{escape(value)}</td></tr>"
          end
          "<section><h2>Request</h2><p class=place><code>#{escape(@request.line)}</code></p>" \
            "<table>#{rows.join}</table></section>"
        end

        def escape(text) = ::CGI.escapeHTML(text)
      end
    end
  end
end
