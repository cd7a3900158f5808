# frozen_string_literal: true

require_relative "../service/config"

module Raffia
  class Server
    # Environment variables of a server, as text. {Settings} has their types.
    #
    # | variable                          | values                                 | default            |
    # |-----------------------------------|----------------------------------------|--------------------|
    # | RAFFIA_BIND                       | addresses to listen on, spaces between | see `raffia serve` |
    # | RAFFIA_PORT, PORT                 | a port                                 | 9292               |
    # | RAFFIA_PROCESSES, WEB_CONCURRENCY | a number, a range such as 2..16, auto  | auto               |
    # | RUNTIME_DIRECTORY, XDG_RUNTIME_DIR | folder of the control socket          | one in TMPDIR      |
    #
    # @api private
    Config = ::Data.define(:bind, :port, :processes, :environment,
      :runtime_directory) do
      def self.load(variables = Raffia::Config.variables)
        new(bind: variables.list("RAFFIA_BIND"), port: variables.string("RAFFIA_PORT", "PORT"),
          processes: variables.string("RAFFIA_PROCESSES", "WEB_CONCURRENCY"),
          environment: Service::Config.load(variables).environment,
          runtime_directory: variables.string("RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"))
      end
    end
  end
end
