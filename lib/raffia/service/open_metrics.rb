# frozen_string_literal: true

module Raffia
  module Service
    # Writes OpenMetrics text, version 1.0.0: families one after the other, each with type and help.
    #
    #   text = OpenMetrics.new
    #   text.counter("raffia_requests", "Requests that have ended.", 12)
    #   text.to_s
    #
    # `values` is a number, or a Hash of numbers by their labels. A name ends with its unit.
    #
    # @api private
    class OpenMetrics
      CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
      ESCAPES = {"\\" => "\\\\", "\"" => "\\\"", "\n" => "\\n"}.freeze
      private_constant :ESCAPES

      def initialize
        @text = +""
      end

      def counter(name, help, values, unit: nil)
        family(name, "counter", help, unit)
        each(values) { |labels, value| sample("#{name}_total", labels, value) }
      end

      def gauge(name, help, values, unit: nil)
        family(name, "gauge", help, unit)
        each(values) { |labels, value| sample(name, labels, value) }
      end

      # `histograms`: a {Histogram}, or a Hash of them by their labels.
      def histogram(name, help, histograms, unit: "seconds")
        family(name, "histogram", help, unit)
        each(histograms) do |labels, histogram|
          histogram.each_bound do |bound, count|
            le = bound.infinite? ? "+Inf" : bound.to_s
            sample("#{name}_bucket", {**labels, le: le}, count)
          end
          sample("#{name}_count", labels, histogram.count)
          sample("#{name}_sum", labels, histogram.sum)
        end
      end

      def info(name, help, labels)
        family(name, "info", help, nil)
        sample("#{name}_info", labels, 1)
      end

      def to_s = "#{@text}# EOF\n"

      private

      def family(name, type, help, unit)
        @text << "# TYPE #{name} #{type}\n"
        @text << "# UNIT #{name} #{unit}\n" if unit
        @text << "# HELP #{name} #{escape(help)}\n"
      end

      def each(values, &) = values.is_a?(Hash) ? values.each(&) : yield({}, values)

      def sample(name, labels, value)
        shown = labels.map { |label, content| "#{label}=\"#{escape(content.to_s)}\"" }.join(",")
        @text << (labels.empty? ? "#{name} #{value}\n" : "#{name}{#{shown}} #{value}\n")
      end

      def escape(text) = text.gsub(/[\\"\n]/, ESCAPES)
    end
  end
end
