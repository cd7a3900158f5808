# frozen_string_literal: true

require_relative "../../charts/svg"

module Raffia
  module Lab
    module Report
      # Pieces of HTML.
      module Html
        # Signs for readers who see no colours.
        SIGNS = {good: "✓", warn: "!", bad: "✗", soft: "·"}.freeze

        extend self

        # Safe in text and in attributes.
        def escape(text) = Charts::SVG.escape(text)

        # css: a class for each row. The first column names the rows.
        def table(columns, caption, css = [])
          head =
            columns.map { |column|
              "<th scope=\"col\"#{" class=\"name\"" if column.name?}>#{escape(column.head)}</th>"
            }.join
          rows = columns.map(&:cells).transpose.each_with_index
            .map { |cells, index| row(cells, columns, css[index]) }
          "<div class=\"table\" tabindex=\"0\" role=\"region\" " \
            "aria-label=\"#{escape(caption)}\"><table><caption>#{escape(caption)}</caption>" \
            "<thead><tr>#{head}</tr></thead>\n<tbody>#{rows.join("\n")}</tbody></table></div>"
        end

        # legend: HTML.
        def figure(title, chart, legend = "")
          "<figure><figcaption>#{escape(title)}</figcaption>#{legend}\n#{chart}</figure>"
        end

        # pairs: elements of SVG 24 pixels wide and 16 high, and their meanings.
        def legend(pairs)
          items = pairs.map do |shape, name|
            "<li><svg width=\"24\" height=\"16\" aria-hidden=\"true\">#{shape}</svg>" \
              "#{escape(name)}</li>"
          end
          "<ul class=\"legend\">#{items.join}</ul>"
        end

        def verdicts(sentences)
          return "" if sentences.empty?
          items = sentences.map do |kind, text|
            "<li class=\"#{kind}\"><span aria-hidden=\"true\">#{SIGNS.fetch(kind)}</span> " \
              "#{escape(text)}</li>"
          end
          "<ul class=\"verdicts\">#{items.join("\n")}</ul>"
        end

        def facts(facts)
          items = facts.compact.map do |name, value|
            "<dt>#{escape(name)}</dt><dd>#{escape(value)}</dd>"
          end
          "<dl>#{items.join("\n")}</dl>"
        end

        private

        def row(cells, columns, css)
          first, *rest = cells
          parts = rest.zip(columns.drop(1))
            .map { |cell, column| "<td#{" class=\"name\"" if column.name?}>#{escape(cell)}</td>" }
          "<tr#{" class=\"#{css}\"" if css}><th scope=\"row\">#{escape(first)}</th>" \
            "#{parts.join}</tr>"
        end
      end
    end
  end
end
