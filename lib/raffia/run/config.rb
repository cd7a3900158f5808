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
    # @api private
    Config = ::Data.define(:dump_signal, :deadlock) do
      def self.load(variables = Raffia::Config.variables)
        new(dump_signal: signal(variables.string("RAFFIA_DUMP_SIGNAL")),
          deadlock: variables.choice("RAFFIA_DEADLOCK", self::DEADLOCKS, :raise))
      end

      # Takes a signal's name with or without SIG, or "off". Raises ConfigError.
      def self.signal(name)
        return name&.to_sym if name.nil? || name == "off"

        short = name.delete_prefix("SIG")
        return short.to_sym if ::Signal.list.key?(short) && short != "EXIT"

        raise ConfigError,
          "#{name} is no signal here: use one such as USR2 (`kill -l` lists them), or off"
      end
    end

    class Config
      # `raise`: where it is certain. `report`: also where a signal handler might still help.
      DEADLOCKS = %i[raise report off].freeze
    end
  end
end
