# frozen_string_literal: true

require_relative "../base/config"

module Raffia
  module Run
    # Variables of {Raffia.run}.
    #
    # | variable           | values                                   | default                 |
    # |--------------------|------------------------------------------|-------------------------|
    # | RAFFIA_DUMP_SIGNAL | the name of a signal, such as USR2; off  | off; `raffia run`: QUIT |
    # | RAFFIA_DEADLOCK    | raise report off                         | raise                   |
    #
    # @!attribute [r] dump_signal
    #   @return [Symbol, nil] on which signal to print what all fibers wait for: :USR2, :off; nil
    #     when nothing is said
    # @!attribute [r] deadlock
    #   @return [Symbol] what to do when no fiber can ever resume: :raise, :report or :off
    Config = ::Data.define(:dump_signal, :deadlock) do
      # @return [Config]
      # @raise [ConfigError]
      def self.load(variables = Raffia::Config.variables)
        new(dump_signal: signal(variables.string("RAFFIA_DUMP_SIGNAL")),
          deadlock: variables.choice("RAFFIA_DEADLOCK", self::DEADLOCKS, :raise))
      end

      # @param name [String, nil] of a signal, with or without SIG; "off"
      # @return [Symbol, nil]
      # @raise [ConfigError]
      def self.signal(name)
        return name&.to_sym if name.nil? || name == "off"

        short = name.delete_prefix("SIG")
        return short.to_sym if ::Signal.list.key?(short) && short != "EXIT"

        raise ConfigError,
          "#{name} is no signal here: use one such as USR2 (`kill -l` lists them), or off"
      end
    end

    class Config
      # `raise`: where it is certain. `report`: on stderr, also where a signal handler might still
      # help.
      DEADLOCKS = %i[raise report off].freeze
    end
  end
end
