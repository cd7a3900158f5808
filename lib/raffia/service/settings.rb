# frozen_string_literal: true

require "did_you_mean"
require_relative "../base/error"
require_relative "settings/row"

module Raffia
  module Service
    # The settings of a command, as one table: its keywords, its flags, the words of raffia.rb, the
    # file that `--init` writes and the reference in the guides come from the rows. Shareable.
    #
    #     SETTINGS = Service::Settings.define(
    #       listen: ["Where it listens", [
    #         [:port, :port, 9292, "the port of the default bind", {short: "-p"}]
    #       ]]
    #     )
    #     SETTINGS.build(port: "80") #=> {port: 80}
    class Settings
      include Enumerable

      # @param sections [Hash{Symbol => Array(String, Array)}] a title, and rows: of another table,
      #   or name, type, default, description and further members of {Row}
      # @return [Settings]
      def self.define(**sections)
        rows = sections.flat_map do |section, (_, table)|
          table.map { |row| row.is_a?(Row) ? row.with(section:) : make(section, *row) }
        end
        ::Ractor.make_shareable(new(sections.transform_values(&:first), rows))
      end

      def self.make(section, name, type, default, description, more = {})
        Row.new(section:, name:, type:, default:, description:, **more)
      end
      private_class_method :make

      # @return [Hash{Symbol => String}] titles by section
      attr_reader :titles

      # @param titles [Hash{Symbol => String}]
      # @param rows [Array<Row>]
      def initialize(titles, rows)
        @titles = titles
        @rows = rows.to_h { |row| [row.name, row] }
      end

      # @yieldparam row [Row]
      def each(&) = @rows.each_value(&)

      # @return [Array<Symbol>]
      def names = @rows.keys

      # @return [Array<Row>] of one section
      def section(name) = select { |row| row.section == name }

      # @return [Row]
      # @raise [ConfigError] with the name that may have been meant
      def [](name)
        @rows.fetch(name.to_sym) do
          guess = DidYouMean::SpellChecker.new(dictionary: names).correct(name).first
          raise ConfigError, "there is no option #{name}#{": did you mean #{guess}?" if guess}"
        end
      end

      # @return [Object] the value of a setting, checked and converted
      # @raise [ConfigError]
      def read(name, value) = self[name].read(value)

      # @param given [Hash{Symbol => Object}]
      # @return [Hash{Symbol => Object}] all settings; those that are not given have their default
      # @raise [ConfigError] for a name that there is not, or a value that makes no sense
      def build(given)
        read = given.to_h { |name, value| [name.to_sym, read(name, value)] }
        @rows.transform_values(&:default).merge(read)
      end
    end
  end
end
