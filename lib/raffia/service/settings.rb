# frozen_string_literal: true

require "did_you_mean"
require_relative "../base/error"
require_relative "settings/row"

module Raffia
  module Service
    # Settings of a command as one table. Its rows are keywords, flags, words of raffia.rb, the file
    # of `--init`, and the reference in the guides. Shareable.
    #
    #     SETTINGS = Service::Settings.define(
    #       listen: ["Where it listens", [
    #         [:port, :port, 9292, "the port of the default bind", {short: "-p"}]
    #       ]]
    #     )
    #     SETTINGS.build(port: "80") #=> {port: 80}
    #
    # @api private
    class Settings
      include Enumerable

      # `sections`: titles and rows, which are rows of another table or arguments of {Row}.
      def self.define(**sections)
        rows = sections.flat_map do |section, (_, table)|
          table.map { |row| row.is_a?(Row) ? row.with(section:) : make(section, *row) }
        end
        ::Ractor.make_shareable(new(sections.transform_values(&:first), rows))
      end

      # ": did you mean ...?", or an empty String.
      def self.guess(name, names)
        guess = DidYouMean::SpellChecker.new(dictionary: names).correct(name).first
        guess ? ": did you mean #{guess}?" : ""
      end

      def self.make(section, name, type, default, description, more = {})
        Row.new(section:, name:, type:, default:, description:, **more)
      end
      private_class_method :make

      # Titles by section.
      attr_reader :titles

      def initialize(titles, rows)
        @titles = titles
        @rows = rows.to_h { |row| [row.name, row] }
      end

      def each(&) = @rows.each_value(&)

      def names = @rows.keys

      def section(name) = select { |row| row.section == name }

      # Raises ConfigError with the closest name.
      def [](name)
        @rows.fetch(name.to_sym) do
          raise ConfigError, "there is no option #{name}#{Settings.guess(name, names)}"
        end
      end

      def read(name, value) = self[name].read(value)

      # All settings, with defaults. Raises ConfigError for unknown names and invalid values.
      def build(given)
        read = given.to_h { |name, value| [name.to_sym, read(name, value)] }
        @rows.transform_values(&:default).merge(read)
      end
    end
  end
end
