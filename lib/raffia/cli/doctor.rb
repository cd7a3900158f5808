# frozen_string_literal: true

require_relative "options"
require_relative "doctor/check"
require_relative "doctor/report"
require_relative "doctor/ruby"
require_relative "doctor/back_ends"
require_relative "doctor/limits"
require_relative "doctor/gems"

module Raffia
  module CLI
    # `raffia doctor`: what Raffia finds on this machine, what that means, and what to do about it.
    # Written for the day when something does not work, so each part is asked by itself and one that
    # fails is a finding, not the end.
    module Doctor
      # How to call it.
      USAGE = "Usage: raffia doctor [--json] [--rack config.ru [--path /]]"
      # Title, and what answers `call` with the findings.
      SECTIONS = {
        "Ruby" => Ruby, "Native extension" => Extension, "Back ends" => BackEnds,
        "Limits" => Limits, "Optional gems" => Gems
      }.freeze

      def self.summary = "check this machine: Ruby, back ends, limits, optional gems"

      # The exit code: {FAILED} when something is broken, {OK} else.
      def self.call(argv, out: $stdout, err: $stderr) # rubocop:disable Lint/UnusedMethodArgument
        options = {paths: []}
        rest = parser(options).parse(argv)
        return show_help(out) if options[:help]
        raise OptionParser::NeedlessArgument, rest.first if rest.any?
        raise ConfigError, "--path goes with --rack FILE" if options[:paths].any? && !options[:rack]
        sections = if options[:rack]
          application(options)
        else
          SECTIONS.transform_values { |examine| findings(examine) }
        end
        options[:json] ? Report.json(sections, out) : Report.text(sections, out)
        sections.values.flatten.any?(&:broken?) ? FAILED : OK
      end

      class << self
        private

        def parser(options)
          Options.parser(USAGE) do |o|
            o.separator ""
            o.separator "Checks this machine and says what to do about each finding."
            o.separator "The exit code is 1 when something is broken."
            o.separator ""
            o.on("--rack FILE", "instead: whether this application could be",
              "served from Ractors, and what stops it", "(raffia serve --ractors)") do |file|
                options[:rack] = file
              end
            o.on("--path PATH", "with --rack: what to ask it for, / by",
              "default; may be given more than once") { |path| options[:paths] << path }
            o.on("--json", "the same as JSON") { options[:json] = true }
            o.on("-h", "--help", "this page") { options[:help] = true }
          end
        end

        def show_help(out)
          out.puts parser({})
          OK
        end

        def application(options)
          require_relative "doctor/application"
          paths = options[:paths].empty? ? ["/"] : options[:paths]
          {"#{options[:rack]} in Ractors" => Application.new(options[:rack], paths).call}
        end

        def findings(examine)
          examine.call
        rescue StandardError, ScriptError => e
          [Check.broken("examination", "ended with #{e.class}: #{e.message}",
            "This is a bug in Raffia: please report it with the output of `raffia --debug " \
              "doctor`.")]
        end
      end
    end
  end
end
