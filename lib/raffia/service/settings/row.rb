# frozen_string_literal: true

require_relative "types"

module Raffia
  module Service
    class Settings
      # One setting. Its name is the keyword, the word of raffia.rb and, with dashes, the flag.
      #
      # type:: a method of {Types}, or an Array of choices
      # section:: where help and documents list it
      # takes:: placeholder of the value in help texts
      # option:: the flag, if it has another name
      #
      # @api private
      Row = Data.define(:name, :type, :default, :section, :description, :short, :takes, :option) do
        def initialize(short: nil, takes: nil, option: nil, **) = super

        # Raises ConfigError for an invalid value.
        def read(value)
          convert(value)
        rescue ArgumentError, TypeError => error
          raise ConfigError, "#{name} #{value.inspect} makes no sense: #{error.message}"
        end

        # Raises ArgumentError with advice.
        def convert(value)
          return if value.nil? && default.nil?

          type.is_a?(Array) ? choose(value) : Types.public_send(type, value)
        end

        def flag = option || "--#{name.to_s.tr("_", "-")}"

        # Placeholder in help texts; nil for a flag that is on or off.
        def argument
          takes || (type.is_a?(Array) ? type.join("|") : Types::PLACEHOLDERS[type])
        end

        # Whether all of several values count.
        def list? = Types::LISTS.include?(type)

        def flag? = type == :flag || type == :flag_or_auto

        # The default as a person writes it.
        def shown
          return default.inspect unless type == :bytes && default

          units = {"g" => 1 << 30, "m" => 1 << 20, "k" => 1 << 10}
          unit, size = units.find { |_, bytes| (default % bytes).zero? }
          unit ? "\"#{default / size}#{unit}\"" : default.to_s
        end

        private

        def choose(value)
          type.find { |word| word.to_s == value.to_s.tr("-", "_") } or
            raise ArgumentError, "use one of #{type.join(", ")}"
        end
      end
    end
  end
end
