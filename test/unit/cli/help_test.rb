# frozen_string_literal: true

require "test_helper"
require "stringio"
require "raffia/cli"

module Raffia
  module CLI
    class HelpTest < TestCase
      def test_the_overview_lists_every_command_that_works_and_no_other
        overview = help
        assert_equal COMMANDS, overview[/Commands:\n(.*?)\n\n/m, 1].scan(/^  (\w+)/).flatten
        LATER.each_key { |name| refute_match(/^  #{name}\b/, overview) }
      end

      def test_all_roads_to_the_overview
        assert_equal [help], [["help"], ["--help"], ["-h"], [], ["help", "help"], ["help", "--help"]].map { |argv| help(*argv) }.uniq
      end

      def test_every_command_explains_itself
        (COMMANDS - %w[help version]).each do |name|
          assert_match(/\AUsage: raffia #{name}/, help("help", name))
          assert_equal help("help", name), help(name, "--help")
        end
      end

      def test_pages_fit_a_terminal
        [%w[help], %w[help serve], %w[help run], %w[help doctor]].each do |argv|
          assert_empty help(*argv).lines.select { |line| line.chomp.size > 80 }, argv.join(" ")
        end
      end

      def test_help_on_what_is_not_there
        assert_equal 2, CLI.call(%w[help nonsense], out: StringIO.new, err: StringIO.new)
        assert_equal 64, CLI.call(%w[help console], out: StringIO.new, err: StringIO.new)
      end

      private

      def help(*argv)
        out = StringIO.new
        assert_equal 0, CLI.call(argv, out: out, err: StringIO.new)
        out.string
      end
    end
  end
end
