# frozen_string_literal: true

module Raffia
  class Server
    module Observability
      module Metrics
        # Writes OpenMetrics text, version 1.0.0: families one after the other, each with its type
        # and help.
        #
        #   text = OpenMetrics.new
        #   text.counter("raffia_requests", "Requests that have ended.", 12)
        #   text.to_s
        #
        # @api private
        class OpenMetrics
          # Media type of the text.
          CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
          ESCAPES = {"\\" => "\\\\", "\"" => "\\\"", "\n" => "\\n"}.freeze
          private_constant :ESCAPES

          def initialize
            @text = +""
          end

          # @param values [Numeric, Hash{Hash => Numeric}] one, or several by their labels
          # @param unit [String, nil] with which the name ends, as the format demands
          def counter(name, help, values, unit: nil)
            family(name, "counter", help, unit)
            each(values) { |labels, value| sample("#{name}_total", labels, value) }
          end

          def gauge(name, help, values, unit: nil)
            family(name, "gauge", help, unit)
            each(values) { |labels, value| sample(name, labels, value) }
          end

          def histogram(name, help, histogram, unit: "seconds")
            family(name, "histogram", help, unit)
            histogram.each_bound do |bound, count|
              sample("#{name}_bucket", {le: bound.infinite? ? "+Inf" : bound.to_s}, count)
            end
            sample("#{name}_count", {}, histogram.count)
            sample("#{name}_sum", {}, histogram.sum)
          end

          # @param labels [Hash] what is to be known once
          def info(name, help, labels)
            family(name, "info", help, nil)
            sample("#{name}_info", labels, 1)
          end

          # @return [String] whole
          def to_s = "#{@text}# EOF\n"

          private

          def family(name, type, help, unit)
            @text << "# TYPE #{name} #{type}\n"
            @text << "# UNIT #{name} #{unit}\n" if unit
            @text << "# HELP #{name} #{escape(help)}\n"
          end

          def each(values, &)
            values.is_a?(Hash) ? values.each(&) : yield({}, values)
          end

          def sample(name, labels, value)
            shown = labels.map { |label, content| "#{label}=\"#{escape(content.to_s)}\"" }.join(",")
            @text << (labels.empty? ? "#{name} #{value}\n" : "#{name}{#{shown}} #{value}\n")
          end

          def escape(text) = text.gsub(/[\\"\n]/, ESCAPES)
        end
      end
    end
  end
end
