# frozen_string_literal: true

require_relative "../base/config"

module Raffia
  module Jobs
    # Variables of jobs.
    #
    # | variable        | values                                      | default          |
    # |-----------------|---------------------------------------------|------------------|
    # | RAFFIA_STORE    | where jobs are kept, such as sqlite:jobs.db | sqlite:raffia.db |
    # | RAFFIA_WEB_AUTH | USER:PASSWORD of the dashboard              |                  |
    #
    # @!attribute [r] store
    #   @return [String, nil]
    # @!attribute [r] web_auth
    #   @return [String, nil]
    Config = ::Data.define(:store, :web_auth) do
      # @return [Config]
      def self.load(variables = Raffia::Config.variables)
        new(store: variables.string("RAFFIA_STORE"), web_auth: variables.string("RAFFIA_WEB_AUTH"))
      end

      # Without the password: it may get into a log.
      def inspect = web_auth ? with(web_auth: nil).inspect : super
    end
  end
end
