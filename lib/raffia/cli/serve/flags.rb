# frozen_string_literal: true

require_relative "../options"
require_relative "../../server/settings/option/table"

module Raffia
  module CLI
    module Serve
      # The flags: a few that say what to do, and one for each row of the server's table of
      # settings.
      #
      # @api private
      class Flags
        include Options

        # How to call it.
        USAGE = <<~TEXT
          Usage: raffia serve [OPTIONS] [FILE]

          Serves the Rack application in FILE: a rackup file (config.ru when none is
          named), or any Ruby file whose last value is an application. Each process
          serves each connection in a fiber. Settings may as well stand in raffia.rb
          or config/raffia.rb.
        TEXT
        # The sections of the table.
        TITLES = {
          listen: "Where it listens", tls: "TLS", workers: "Workers",
          timeouts: "Timeouts (30, 0.5, 2m, off)",
          limits: "Limits (65536, 64k, 50m, off)", see: "Logs and metrics", content: "Content"
        }.freeze
        EXAMPLES = <<~TEXT

          Examples:
            raffia serve                         config.ru on localhost:9292
            raffia serve -e production -p 80     on all addresses, a process per CPU
            raffia serve -b unix:///run/a.sock -b tcp://[::]:8080 --processes 4
            raffia serve --tls self-signed       https://localhost:9292, to develop

          Signals to the process whose pid is shown: INT and TERM stop it when the
          requests in flight have ended, HUP replaces the workers one after the other,
          USR1 opens the logs anew.
        TEXT
        WIDTH = 26
        private_constant :EXAMPLES, :WIDTH

        # @return [Hash{Symbol => Object}] what was set, as text, by the names of the table
        attr_reader :given
        # @return [Hash{Symbol => Object}] what else was asked for: config, check, init, json
        attr_reader :asked

        def initialize
          @given = {}
          @asked = {}
        end

        # @return [Array<String>] what is no flag
        # @raise [OptionParser::ParseError]
        def parse(argv) = parser.parse(argv)

        # @return [Boolean]
        def help? = !!@asked[:help]

        # @return [Integer] the exit code
        def help(out)
          out.puts parser, examples
          OK
        end

        private

        def usage = USAGE

        def examples = EXAMPLES

        def parser
          @parser ||= Options.parser(usage, WIDTH) do |o|
            o.separator ""
            orders(o)
            TITLES.each do |section, title|
              o.separator "\n#{title}:"
              Server::Option::TABLE.each { |row| add(o, row) if row.section == section }
            end
          end
        end

        def orders(o)
          o.on("-C", "--config FILE",
            *wrap("the settings; default: config/raffia.rb or raffia.rb, if there")) do |path|
              @asked[:config] = path
            end
          o.on("--no-config", *wrap("read no such file")) { @asked[:config] = false }
          o.on("--init", *wrap("write a raffia.rb to start from, with every setting in it")) do
            @asked[:init] = true
          end
          o.on("--check", *wrap("load everything and say what would be done, without doing it")) do
            @asked[:check] = true
          end
          o.on("--json", *wrap("what is printed, as JSON")) { @asked[:json] = true }
          o.on("-h", "--help", *wrap("this page")) { @asked[:help] = true }
        end

        def add(o, row)
          long = row.flag? ? row.flag.sub("--", "--[no-]") : "#{row.flag} #{row.argument}"
          o.on(*[row.short].compact, long, *wrap("#{row.says}#{default(row)}")) do |value|
            set(row, value)
          end
        end

        def set(row, value)
          row.list? ? (@given[row.name] ||= []) << value : @given[row.name] = value
        end

        def default(row)
          if row.flag? || row.default.nil? || row.default == [] || row.says.include?("default")
            return ""
          end

          " (#{row.shown.delete("\":")})"
        end
      end
    end
  end
end
