# frozen_string_literal: true

require_relative "../base/config"

module Raffia
  module Engine
    # Best first; each kind of machine has some of them.
    BACKENDS = %i[uring epoll kqueue poll select].freeze

    # Variables of the engine.
    #
    # | variable                | values            | default                     |
    # |-------------------------|-------------------|-----------------------------|
    # | RAFFIA_BACKEND          | see {BACKENDS}    | the best that works         |
    # | RAFFIA_BLOCKING_THREADS | a positive number | two per core, at least four |
    #
    # @!attribute [r] backend
    #   @return [Symbol, nil]
    # @!attribute [r] blocking_threads
    #   @return [Integer, nil] threads for calls that block, of Ruby's kind and of the engine's each
    Config = ::Data.define(:backend, :blocking_threads) do
      # @raise [ConfigError]
      def self.load(variables = Raffia::Config.variables)
        new(backend: variables.choice("RAFFIA_BACKEND", BACKENDS),
          blocking_threads: variables.count("RAFFIA_BLOCKING_THREADS"))
      end
    end
  end
end
