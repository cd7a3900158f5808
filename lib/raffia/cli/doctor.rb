# frozen_string_literal: true

require_relative "command"

module Raffia
  module CLI
    # `raffia doctor`: checks this machine and says what to do about each finding. It must work when
    # something else does not, so each section is examined by itself, and one that fails is a
    # finding.
    #
    # @api private
    class Doctor < Command
      SUMMARY = "check this machine: Ruby, back ends, limits, optional gems"
      USAGE = <<~TEXT
        Usage: raffia doctor [--json] [--rack config.ru [--path /]]

        Checks this machine and says what to do about each finding.
        The exit code is 1 when something is broken.
      TEXT

      private

      def define(parser)
        @options[:paths] = []
        parser.on("--rack FILE", "instead: whether this application could be",
          "served from Ractors, and what stops it", "(raffia serve --ractors)") do |file|
            @options[:rack] = file
          end
        parser.on("--path PATH", "with --rack: paths of requests; / by",
          "default; may be given more than once") { |path| @options[:paths] << path }
        parser.on("--json", "the same as JSON") { @options[:json] = true }
      end

      def run
        if @options[:paths].any? && !@options[:rack]
          raise ConfigError, "--path goes with --rack FILE"
        end
        sections = @options[:rack] ? application : machine
        @options[:json] ? Report.json(sections, @out) : Report.text(sections, @out)
        sections.values.flatten.any?(&:broken?) ? FAILED : OK
      end

      def application
        require_relative "doctor/application"
        paths = @options[:paths].empty? ? ["/"] : @options[:paths]
        {"#{@options[:rack]} in Ractors" => Application.new(@options[:rack], paths).call}
      end

      def machine
        sections = {"Ruby" => Ruby, "Native extension" => Extension, "Back ends" => BackEnds,
                    "Limits" => Limits, "Optional gems" => Gems}
        sections.transform_values { |section| findings(section) }
      end

      def findings(section)
        section.call
      rescue StandardError, ScriptError => e
        [Check.broken("examination", "ended with #{e.class}: #{e.message}",
          "This is a bug in Raffia: please report it with the output of `raffia --debug doctor`.")]
      end
    end
  end
end

require_relative "doctor/check"
require_relative "doctor/report"
require_relative "doctor/ruby"
require_relative "doctor/back_ends"
require_relative "doctor/limits"
require_relative "doctor/gems"
