# frozen_string_literal: true

require_relative "../base/config"

module Raffia
  module Compat
    # Variables of the compat layers; nil where one is not set.
    #
    # | variable                 | values                                        | default |
    # |--------------------------|-----------------------------------------------|---------|
    # | RAFFIA_COMPAT            | layers, commas between                        | all     |
    # | REDIS_URL                | the store of the Sidekiq layer, without RAFFIA_STORE | |
    # | REDIS_PROVIDER           | the name of the variable that has it instead  |         |
    # | PARALLEL_PROCESSOR_COUNT | as the gem parallel has it                    |         |
    # | CELLULOID_TASK_CLASS     | as the gem celluloid has it                   |         |
    Config = ::Data.define(:layers, :redis_url, :processors, :celluloid_task_class) do
      # @return [Config]
      # @raise [ConfigError]
      def self.load(variables = Raffia::Config.variables)
        new(layers: variables.list("RAFFIA_COMPAT", /[,\s]+/)&.map(&:to_sym)&.freeze,
          redis_url: variables.string(variables.string("REDIS_PROVIDER").to_s, "REDIS_URL"),
          processors: variables.count("PARALLEL_PROCESSOR_COUNT"),
          celluloid_task_class: variables.string("CELLULOID_TASK_CLASS"))
      end

      # Without the password, because it may get into a log.
      # @return [String]
      def inspect = redis_url ? with(redis_url: nil).inspect : super
    end
  end
end
