# frozen_string_literal: true

require "json"
require "time"
require_relative "template"

module Raffia
  module Jobs
    class Web
      # Formats values for people.
      # @api private
      module Format
        UNITS = [[86_400, "d"], [3600, "h"], [60, "min"]].freeze
        private_constant :UNITS

        # "1,234,567".
        def number(count) = count.to_i.to_s.reverse.scan(/\d{1,3}/).join(",").reverse

        # "1 job", "2,000 jobs".
        def count(number, one, many = "#{one}s") = "#{number(number)} #{(number == 1) ? one : many}"

        # "350 ms", "4.2 s", "3 min", "5 h".
        def span(seconds)
          seconds = seconds.to_f.abs
          size, unit = UNITS.find { |limit, _| seconds >= limit * 2 }
          return "#{number(seconds / size)} #{unit}" if unit

          return "#{(seconds * 1000).round} ms" if seconds < 1

          "#{seconds.round((seconds < 10) ? 1 : 0)} s"
        end

        def memory(kib) = (kib.to_i < 1024) ? "#{kib.to_i} KiB" : "#{number(kib.to_i / 1024)} MiB"

        # The distance of a time (seconds since 1970) from now, with the time itself as its title.
        def ago(time)
          return "" unless time.is_a?(Numeric) && time.to_f.finite? && time.abs < 1e11

          apart = time - Time.now.to_f
          words = if apart.abs < 1 then "now"
          elsif apart.negative? then "#{span(apart)} ago"
          else "in #{span(apart)}"
          end
          at = Time.at(time).utc
          Html.new(
            %(<time datetime="#{at.iso8601}" title="#{at.strftime("%F %T UTC")}">#{words}</time>)
          )
        end

        # Text of a value from a payload.
        def text(value)
          case value
          when String then value
          when nil then ""
          else json(value)
          end
        end

        # JSON, also of invalid strings and numbers.
        def json(value, pretty: false)
          pretty ? JSON.pretty_generate(value) : JSON.generate(value)
        rescue JSON::GeneratorError, JSON::NestingError
          value.inspect
        end

        def shorten(text, size) = (text.size > size) ? "#{text[0, size - 1]}…" : text
      end
    end
  end
end
