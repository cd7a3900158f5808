# frozen_string_literal: true

require "did_you_mean"
require "optparse"
require_relative "../base/error"
require_relative "../base/version"

module Raffia
  module CLI
    # What the options of several commands have in common.
    #
    # @api private
    module Options
      module_function

      # @param width [Integer] of the column with the options
      # That knows --version, as any command should.
      def parser(usage, width = 32)
        OptionParser.new(usage, width) do |o|
          o.program_name = "raffia"
          o.version = VERSION
          yield o
        end
      end

      def count(text, least: 1)
        number = Integer(text, 10, exception: false)
        return number if number && number >= least

        raise OptionParser::InvalidArgument, "#{text}: use a whole number from #{least} up"
      end

      def seconds(text, least: 0)
        number = Float(text, exception: false)
        return number if number&.finite? && number >= least

        raise OptionParser::InvalidArgument,
          "#{text}: use seconds#{", #{least} at least" if least.positive?}"
      end

      # @param name [String] that does not exist
      # @param names [Array<String>] that do
      # NIL? A question to put behind the sentence that says so.
      def guess(name, names)
        DidYouMean::SpellChecker.new(dictionary: names).correct(name).first
          &.then { |found| " Did you mean #{found}?" }
      end

      # What commands with processes need.
      def common_store(url)
        return unless url.start_with?("memory:")

        raise ConfigError, "memory: is the store of one process, and no other can put anything " \
          "into it: use --processes 0, or another store"
      end

      # --compat, of commands that run a program of the user's.
      def compat(parser)
        parser.on("--compat[=NAMES]", "answer what it requires of parallel,",
          "celluloid and so on by Raffia; NAMES: of", "these only, with commas between") do |names|
          yield names.to_s.split(",").map(&:to_sym)
        end
      end

      # What --compat asks for.
      # @param names [Array<Symbol>, nil] none: what RAFFIA_COMPAT says
      # @raise [ConfigError] when there is no such layer
      def answer(names)
        return unless names

        require_relative "../compat/layers"
        Compat.answer(*(names.empty? ? Compat::Config.load.layers : names))
      end
    end
  end
end
