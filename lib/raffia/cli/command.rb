# frozen_string_literal: true

require_relative "options"

module Raffia
  module CLI
    # A command of `raffia`. A subclass has a SUMMARY for `raffia help` and a USAGE, adds its
    # options and their defaults in #define, and works in #run, whose parameters are the arguments
    # of the command line.
    #
    # @api private
    class Command
      # Columns of the options in the help.
      WIDTH = 32

      def self.summary = self::SUMMARY

      # Returns the exit code.
      def self.call(argv, out: $stdout, err: $stderr) = new(out, err).call(argv)

      def initialize(out, err)
        @out = out
        @err = err
        @options = {}
      end

      def call(argv)
        @argv = argv
        arguments = parse(argv)
        return help if @options[:help]
        Options.check_arguments(method(:run), arguments)
        code = run(*arguments)
        code.is_a?(Integer) ? code : OK
      end

      private

      # Adds options to an OptionParser; their values go into @options.
      def define(parser)
      end

      def parse(argv) = parser.parse(argv)

      def parser
        @parser ||= Options.parser(self.class::USAGE, self.class::WIDTH) do |parser|
          parser.separator ""
          define(parser)
          parser.on("-h", "--help", "this page") { @options[:help] = true }
        end
      end

      def help
        @out.puts parser
        OK
      end

      def usage = self.class::USAGE.lines.first.chomp
    end
  end
end
