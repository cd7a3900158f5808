# frozen_string_literal: true

require_relative "types"

module Raffia
  module Service
    class Settings
      # One setting. Its name is the keyword, the word of raffia.rb and, with dashes, the flag.
      #
      # @!attribute [r] name
      #   @return [Symbol]
      # @!attribute [r] type
      #   @return [Symbol, Array<Symbol>] a method of {Types}, or the words to choose from
      # @!attribute [r] default
      #   @return [Object, nil]
      # @!attribute [r] section
      #   @return [Symbol] where help and documents list it
      # @!attribute [r] description
      #   @return [String] one line
      # @!attribute [r] short
      #   @return [String, nil] a flag of one letter
      # @!attribute [r] takes
      #   @return [String, nil] stands for the value in help texts
      # @!attribute [r] option
      #   @return [String, nil] the flag, where its name is another one
      Row = Data.define(:name, :type, :default, :section, :description, :short, :takes, :option) do
        def initialize(short: nil, takes: nil, option: nil, **) = super

        # @return [Object] the value, checked and converted
        # @raise [ConfigError] for one that makes no sense
        def read(value)
          convert(value)
        rescue ArgumentError, TypeError => error
          raise ConfigError, "#{name} #{value.inspect} makes no sense: #{error.message}"
        end

        # @return [Object]
        # @raise [ArgumentError] with advice
        def convert(value)
          return if value.nil? && default.nil?

          type.is_a?(Array) ? choose(value) : Types.public_send(type, value)
        end

        # @return [String] --idle-timeout
        def flag = option || "--#{name.to_s.tr("_", "-")}"

        # @return [String, nil] what follows the flag; nil for one that is on or off
        def argument
          takes || (type.is_a?(Array) ? type.join("|") : Types::PLACEHOLDERS[type])
        end

        # @return [Boolean] whether it may be given several times, and all of them count
        def list? = Types::LISTS.include?(type)

        # @return [Boolean]
        def flag? = type == :flag || type == :flag_or_auto

        # @return [String] the default as a person writes it
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
