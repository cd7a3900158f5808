# frozen_string_literal: true

require_relative "../setting_flags"
require_relative "../../server/settings"

module Raffia
  module CLI
    module Serve
      # Flags of `raffia serve`: one for each row of {Server::Settings}, and its actions.
      #
      # @api private
      class Flags < SettingFlags
        USAGE = <<~TEXT
          Usage: raffia serve [OPTIONS] [FILE]

          Serves the Rack application in FILE: a rackup file (config.ru when none is
          named), or any Ruby file whose last value is an application. Each process
          serves each connection in a fiber. Settings may as well stand in raffia.rb
          or config/raffia.rb.
        TEXT
        EXAMPLES = <<~TEXT

          Examples:
            raffia serve                         config.ru on localhost:9292
            raffia serve -e production -p 80     on all addresses, a process per CPU
            raffia serve -b unix:///run/a.sock -b tcp://[::]:8080 --processes 4
            raffia serve --tls self-signed       https://localhost:9292, to develop

          Signals to the process whose pid is shown: INT and TERM stop it when the
          requests in flight have ended, HUP replaces the workers one after the other,
          USR1 opens the logs anew, USR2 starts this command again with --takeover.
        TEXT

        private

        def define(parser)
          parser.separator ""
          own_flags(parser)
          Service::Settings::Flags.new(parser, given).add_all(Server::Settings)
        end

        def own_flags(parser)
          own_flag(parser, :config, "-C", "--config FILE",
            "the settings; default: config/raffia.rb or raffia.rb, if there")
          own_flag(parser, :config, "--no-config", "read no such file")
          own_flag(parser, :init, "--init",
            "write a raffia.rb to start from, with every setting in it")
          own_flag(parser, :check, "--check",
            "load everything and say what would be done, without doing it")
          own_flag(parser, :takeover, "--takeover",
            "take the listening sockets from the server that runs, which leaves when this one " \
              "serves")
          own_flag(parser, :json, "--json", "what is printed, as JSON")
          own_flag(parser, :help, "-h", "--help", "this page")
        end
      end
    end
  end
end
