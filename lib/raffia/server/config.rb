# frozen_string_literal: true

require_relative "../service/config"

module Raffia
  class Server
    # Variables of a server, as text: {Settings} says what each may be.
    #
    # | variable                          | values                                 | default            |
    # |-----------------------------------|----------------------------------------|--------------------|
    # | RAFFIA_BIND                       | addresses to listen on, spaces between | see `raffia serve` |
    # | RAFFIA_PORT, PORT                 | a port                                 | 9292               |
    # | RAFFIA_PROCESSES, WEB_CONCURRENCY | a number, auto                         | auto               |
    #
    # @!attribute [r] bind
    #   @return [Array<String>, nil]
    # @!attribute [r] port
    #   @return [String, nil]
    # @!attribute [r] processes
    #   @return [String, nil]
    # @!attribute [r] environment
    #   @return [String, nil] see {Service::Config}
    Config = ::Data.define(:bind, :port, :processes, :environment) do
      # @return [Config]
      def self.load(variables = Raffia::Config.variables)
        new(bind: variables.list("RAFFIA_BIND"), port: variables.string("RAFFIA_PORT", "PORT"),
          processes: variables.string("RAFFIA_PROCESSES", "WEB_CONCURRENCY"),
          environment: Service::Config.load(variables).environment)
      end
    end
  end
end
