# frozen_string_literal: true

require "optparse"

module Raffia
  module Service
    class Settings
      # Makes flags of rows, and collects their values.
      #
      # @api private
      class Flags
        # Columns of a description, for terminals of 80.
        WIDTH = 48

        def self.wrap(text) = text.scan(/\S.{0,#{WIDTH - 2}}\S(?=\s|\z)|\S/o)

        # `read`: convert at once, so that the parser names the flag in its errors; else values stay
        # text.
        def initialize(parser, given, read: false)
          @parser = parser
          @given = given
          @read = read
        end

        def add_all(table)
          table.titles.each do |section, title|
            @parser.separator "\n#{title}:"
            table.section(section).each { |row| add(row) }
          end
        end

        def add(row)
          @parser.on(*row.short, long(row), *Flags.wrap(row.description + default(row))) do |value|
            set(row, value)
          end
        end

        private

        def long(row)
          row.flag? ? row.flag.sub("--", "--[no-]") : "#{row.flag} #{row.argument}"
        end

        def set(row, value)
          value = convert(row, value) if @read && !row.list?
          row.list? ? (@given[row.name] ||= []) << value : @given[row.name] = value
        end

        def convert(row, value)
          row.convert(value)
        rescue ArgumentError => error
          raise OptionParser::InvalidArgument, "#{value}: #{error.message}"
        end

        # Left out where the description has it.
        def default(row)
          return "" if row.flag? || row.default.nil? || row.default == []
          return "" if row.description.include?("default")

          " (#{row.shown.delete("\":")})"
        end
      end
    end
  end
end
