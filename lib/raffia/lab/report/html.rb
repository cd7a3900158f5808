# frozen_string_literal: true

require_relative "../../charts/svg"

module Raffia
  module Lab
    module Report
      # Pieces of HTML.
      module Html
        # Signs of verdicts, for readers who see no colours.
        SIGNS = {good: "✓", warn: "!", bad: "✗", soft: "·"}.freeze

        module_function

        # @return [String] safe in text and in attributes
        def escape(text) = Charts::SVG.escape(text)

        # @param columns [Array<Column>]
        # @param caption [String]
        # @param css [Array<String>] a class for each row
        # @return [String] the first column names the rows
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

        # @param title [String]
        # @param chart [#to_s]
        # @param legend [String] HTML
        # @return [String]
        def figure(title, chart, legend = "")
          "<figure><figcaption>#{escape(title)}</figcaption>#{legend}\n#{chart}</figure>"
        end

        # @param pairs [Array<Array(String, String)>] elements of SVG 24 pixels wide and 16 high,
        #   and what they mean
        # @return [String]
        def legend(pairs)
          "<ul class=\"legend\">#{pairs.map { |shape, name| "<li><svg width=\"24\" height=\"16\" aria-hidden=\"true\">#{shape}</svg>#{escape(name)}</li>" }.join}</ul>"
        end

        # @param sentences [Array<Array(Symbol, String)>] of {Verdicts}
        # @return [String]
        def verdicts(sentences)
          return "" if sentences.empty?
          items = sentences.map do |kind, text|
            "<li class=\"#{kind}\"><span aria-hidden=\"true\">#{SIGNS.fetch(kind)}</span> " \
              "#{escape(text)}</li>"
          end
          "<ul class=\"verdicts\">#{items.join("\n")}</ul>"
        end

        # @param facts [Hash{#to_s => #to_s}]
        # @return [String]
        def facts(facts)
          "<dl>#{facts.compact.map { |name, value| "<dt>#{escape(name)}</dt><dd>#{escape(value)}</dd>" }.join("\n")}</dl>"
        end

        def row(cells, columns, css)
          first, *rest = cells
          parts = rest.zip(columns.drop(1))
            .map { |cell, column| "<td#{" class=\"name\"" if column.name?}>#{escape(cell)}</td>" }
          "<tr#{" class=\"#{css}\"" if css}><th " \
            "scope=\"row\">#{escape(first)}</th>#{parts.join}</tr>"
        end
        private_class_method :row
      end
    end
  end
end
