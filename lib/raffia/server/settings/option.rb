# frozen_string_literal: true

require_relative "option/kinds"

module Raffia
  class Server
    # One thing that can be set: a row of {TABLE}. Its name is the keyword, the word of raffia.rb
    # and, with dashes, the flag.
    #
    # @!attribute [r] name
    #   @return [Symbol]
    # @!attribute [r] kind
    #   @return [Symbol, Array<Symbol>] a method of Kinds, or the words to choose from
    # @!attribute [r] default
    #   @return [Object, nil]
    # @!attribute [r] section
    #   @return [Symbol] where help and documents list it
    # @!attribute [r] says
    #   @return [String] what it does, in one line
    # @!attribute [r] short
    #   @return [String, nil] a flag of one letter
    # @!attribute [r] takes
    #   @return [String, nil] what stands for the value in help texts
    Option = Data.define(:name, :kind, :default, :section, :says, :short, :takes) do
      # @return [Object] the value as the server keeps it
      # @raise [ConfigError] for one that makes no sense
      def read(value)
        return if value.nil? && default.nil?
        return choose(value) if kind.is_a?(Array)

        Kinds.public_send(kind, value)
      rescue ArgumentError, TypeError => error
        raise ConfigError, "#{name} #{value.inspect} makes no sense: #{error.message}"
      end

      # @return [String] --idle-timeout
      def flag = "--#{name.to_s.tr("_", "-")}"

      # @return [String, nil] what follows the flag; nil for one that is on or off
      def argument
        takes || (kind.is_a?(Array) ? kind.join("|") : Kinds::PLACEHOLDERS[kind])
      end

      # @return [Boolean] whether it may be said several times, and all of them count
      def list? = kind == :uris || kind == :paths

      # @return [Boolean]
      def flag? = kind == :flag || kind == :flag_or_auto

      # @return [String] the default as a person writes it
      def shown
        return default.inspect unless kind == :bytes && default

        unit, size = {"g" => 1 << 30, "m" => 1 << 20,
                      "k" => 1 << 10}.find { |_, bytes| (default % bytes).zero? }
        unit ? "\"#{default / size}#{unit}\"" : default.to_s
      end

      private

      def choose(value)
        kind.find { |word| word.to_s == value.to_s.tr("-", "_") } or
          raise ArgumentError, "use one of #{kind.join(", ")}"
      end
    end
  end
end
