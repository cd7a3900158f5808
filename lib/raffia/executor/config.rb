# frozen_string_literal: true

require_relative "../base/config"

module Raffia
  module Executor
    # Variables of executors. RAFFIA_WORKERS: how many workers a pool starts by default.
    #
    # @!attribute [r] workers
    #   @return [Integer, nil] nil: one per core
    Config = ::Data.define(:workers) do
      def self.load(variables = Raffia::Config.variables)
        new(workers: variables.count("RAFFIA_WORKERS"))
      end
    end
  end
end
