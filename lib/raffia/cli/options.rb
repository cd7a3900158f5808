# frozen_string_literal: true

require "did_you_mean"
require "optparse"
require_relative "../base/error"
require_relative "../base/version"

module Raffia
  module CLI
    # Options and arguments that several commands share.
    #
    # @api private
    module Options
      module_function

      # A parser that knows --version. width: columns of the options.
      def parser(usage, width = 32)
        OptionParser.new(usage, width) do |o|
          o.program_name = "raffia"
          o.version = VERSION
          yield o
        end
      end

      # Compares the number of arguments with a method's parameters. prefix: named in the error.
      def check_arguments(method, arguments, prefix: "")
        kinds = method.parameters.map(&:first)
        if arguments.size < kinds.count(:req)
          name = method.parameters[arguments.size].last
          raise OptionParser::MissingArgument, "#{prefix}#{name.to_s.upcase}"
        end
        return if kinds.include?(:rest) || arguments.size <= kinds.size
        raise OptionParser::NeedlessArgument, arguments[kinds.size]
      end

      def count(text, least: 1)
        number = Integer(text, 10, exception: false)
        return number if number && number >= least
        raise OptionParser::InvalidArgument, "#{text}: use a whole number from #{least} up"
      end

      def seconds(text, least: 0, unit: "seconds")
        number = Float(text, exception: false)
        return number if number&.finite? && number >= least
        raise OptionParser::InvalidArgument,
          "#{text}: use #{unit}, #{least} at least"
      end

      # " Did you mean NAME?", nil when none of the names is like this one.
      def guess(name, names)
        DidYouMean::SpellChecker.new(dictionary: names).correct(name).first
          &.then { |found| " Did you mean #{found}?" }
      end

      # Refuses the URL of a store that several processes cannot share.
      def common_store(url)
        return unless url.start_with?("memory:")
        raise ConfigError, "memory: is the store of one process, and no other can put anything " \
          "into it: use --processes 0, or another store"
      end

      # Adds --compat, for commands that run a user's program.
      def compat(parser)
        parser.on("--compat[=NAMES]", "answer what it requires of parallel,",
          "celluloid and so on by Raffia; NAMES: of", "these only, with commas between") do |names|
          yield names.to_s.split(",").map(&:to_sym)
        end
      end

      # Loads the layers of --compat; RAFFIA_COMPAT names them when the list is empty.
      # Raises ConfigError for an unknown layer.
      def load_compat(names)
        return unless names
        require_relative "../compat/layers"
        Compat.answer(*(names.empty? ? Compat::Config.load.layers : names))
      end
    end
  end
end
