# frozen_string_literal: true

require_relative "options"
require_relative "../service/settings/flags"

module Raffia
  module CLI
    # Flags of a command whose settings are a table: one for each row, and orders such as --help.
    # A subclass has USAGE and EXAMPLES, and adds its flags in #define.
    #
    # @api private
    class SettingFlags
      # Columns of the flags.
      WIDTH = 26

      # Settings by name.
      attr_reader :given
      # Orders by name.
      attr_reader :asked

      # Shows the help page, or yields the flags and the one argument that may follow them. Returns
      # the exit code.
      def self.run(argv, out, arguments: 1)
        flags = new
        rest = flags.parse(argv)
        return flags.help(out) if flags.help?
        raise OptionParser::NeedlessArgument, rest[arguments] if rest.size > arguments

        yield flags, rest.first
      end

      def initialize
        @given = {}
        @asked = {}
      end

      # Returns the arguments that are no flags.
      def parse(argv) = parser.parse(argv)

      def help? = !!@asked[:help]

      def help(out)
        out.puts parser, self.class::EXAMPLES
        OK
      end

      private

      def parser = @parser ||= Options.parser(self.class::USAGE, WIDTH) { |parser| define(parser) }

      # A flag that is no setting.
      def own_flag(parser, name, *flags, text)
        parser.on(*flags, *Service::Settings::Flags.wrap(text)) { |value| @asked[name] = value }
      end
    end
  end
end
