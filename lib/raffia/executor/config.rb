# frozen_string_literal: true

require_relative "../base/config"

module Raffia
  module Executor
    # Variables of executors. RAFFIA_WORKERS: a positive number; default: one per core.
    #
    # @!attribute [r] workers
    #   @return [Integer, nil] how many workers a pool starts when it is not told
    Config = ::Data.define(:workers) do
      # Raises ConfigError.
      def self.load(variables = Raffia::Config.variables)
        new(workers: variables.count("RAFFIA_WORKERS"))
      end
    end
  end
end
