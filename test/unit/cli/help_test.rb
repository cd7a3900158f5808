# frozen_string_literal: true

require "test_helper"
require "stringio"
require "raffia/cli"

module Raffia
  module CLI
    class HelpTest < TestCase
      def test_the_overview_lists_every_command
        overview = help
        assert_equal COMMANDS, overview[/Commands:\n(.*?)\n\n/m, 1].scan(/^  (\w+)/).flatten
      end

      def test_all_roads_to_the_overview
        assert_equal [help],
          [["help"], ["--help"], ["-h"], [], ["help", "help"],
            ["help", "--help"]].map { |argv| help(*argv) }.uniq
      end

      def test_every_command_explains_itself
        (COMMANDS - %w[help]).each do |name|
          assert_match(/\AUsage: raffia #{name}/, help("help", name))
          assert_equal help("help", name), help(name, "--help")
        end
      end

      def test_pages_fit_a_terminal
        [["help"], *COMMANDS.map { |name| ["help", name] }].each do |argv|
          assert_empty help(*argv).lines.select { |line| line.chomp.size > 80 }, argv.join(" ")
        end
      end

      # An explanation that begins with dashes would be taken for one.
      def test_options_are_what_looks_like_them
        COMMANDS.each do |name|
          options = help("help", name).lines.grep(/\A +(?:-\w, )?--/)
          assert_empty options.grep_v(/\A +(?:-\w, )?--[\w\[\]=-]+(?: |$)/), name
        end
      end

      def test_what_every_command_refuses_alike
        (COMMANDS - %w[help]).each do |name|
          out, err = StringIO.new, StringIO.new
          assert_equal [2, ""], [CLI.call([name, "--nonsense"], out: out, err: err), out.string],
            name
          assert_match(/\Araffia: invalid option: --nonsense/, err.string)
          assert_match(/`raffia help #{name}` explains the command\.\n\z/, err.string)
        end
        {%w[version now] => "now", %w[console now] => "now", %w[work now] => "now",
         %w[doctor now] => "now", %w[serve a b] => "b", %w[up a b] => "b"}.each do |argv, word|
          err = StringIO.new
          assert_equal 2, CLI.call(argv, out: StringIO.new, err: err), argv.join(" ")
          assert_match(/\Araffia: needless argument: #{word}\. `raffia help/, err.string)
        end
      end

      def test_help_on_what_is_not_there
        assert_equal 2, CLI.call(%w[help nonsense], out: StringIO.new, err: StringIO.new)
        assert_equal 2, CLI.call(%w[help run away], out: StringIO.new, err: StringIO.new)
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
