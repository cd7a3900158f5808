# frozen_string_literal: true

require "test_helper"
require "stringio"
require "tmpdir"
require "raffia/cli"
require "raffia/cli/lab"

module Raffia
  module Lab
    # Refusals of `raffia lab`, before anything runs, and its lists.
    class CommandTest < TestCase
      REFUSED = {
        %w[run nonsense] => /\Athere is no experiment nonsense: choose from mailer, /,
        %w[run] => /\Aname an experiment to run/,
        %w[measure] => "raffia lab knows list, run, new and compare, not measure. To run an " \
          "experiment: raffia lab run NAME",
        %w[run mailer --on rabbits] =>
          /\Athere is no strategy rabbits in mailer: choose from inline, /,
        %w[run http --on threads] => /\Athere is no strategy threads in http: choose from uring, /,
        %w[run mailer http --on threads] => /\Ahttp does not run on threads: it has uring, /,
        %w[run mailer --workers 0] => /\Aworkers: 0 makes no sense: use whole numbers from 1/,
        %w[run mailer --workers 2,many] =>
          /\Aworkers: 2,many makes no sense: use whole numbers, as in/,
        %w[run mailer --runs -1] => /\Aruns: -1 makes no sense/,
        %w[run mailer --scale 0] => /\Ascale: 0.0 makes no sense/,
        %w[--runs 3] =>
          "the tour has its own sizes: --runs goes with raffia lab run NAME --runs ...",
        %w[run ./none.rb] => "there is no file ./none.rb",
        %w[list none.rb] => "there is no file none.rb",
        %w[run mailer --ruby /no/such/ruby] => %r{\A/no/such/ruby cannot be started: No such file},
        %w[run mailer --against /no/such.json] => %r{\A/no/such\.json cannot be read: No such file},
        %w[run mailer --tolerance 5] => "--tolerance goes with --against FILE",
        %w[compare] => "raffia lab compare needs two files: raffia lab compare OLD.json NEW.json",
        %w[compare a.json b.json --runs 3] =>
          /\A--runs goes with raffia lab run; compare takes two files/,
        %w[compare a.json b.json --tolerance -1] =>
          "tolerance: -1.0 makes no sense: use percents from 0 up",
        %w[new] => /\Araffia lab new needs one name/,
        %w[new two/words] => /\Araffia lab new needs one name/,
        %w[run mailer --json /no/such/folder/a.json] =>
          /\A\/no\/such\/folder\/a\.json cannot be written: No such file or directory/,
        %w[run mailer --html /] => /\A\/ cannot be written: Is a directory/,
        %w[run mailer --html ./a --json a] => /\A--json and --html name the same file: a\z/
      }.freeze

      REFUSED.each do |argv, message|
        define_method(:"test_refused: #{argv.join(" ")}") do
          error = assert_raises(ConfigError) { assert_no_leaks { call(*argv) } }
          if message.is_a?(Regexp)
            assert_match(message, error.message)
          else
            assert_equal(message, error.message)
          end
        end
      end

      def test_a_page_is_not_left_behind_when_the_other_cannot_be_written
        Dir.mktmpdir do |dir|
          assert_raises(ConfigError) do
            call("run", "squares", "--json", "#{dir}/a.json", "--html", "/no/such/folder/a.html")
          end
          assert_empty Dir.children(dir)
        end
      end

      def test_options_that_are_no_numbers
        assert_raises(OptionParser::InvalidArgument) { call("run", "mailer", "--runs", "many") }
        assert_raises(OptionParser::InvalidOption) { call("--fast") }
      end

      def test_the_list_names_each_experiment
        code, out, err = call("list")
        assert_equal [0, ""], [code, err]
        EXPERIMENTS.each do |name, experiment|
          assert_match(/^#{name} +#{Regexp.escape(experiment.title)}$/, out)
        end
      end

      def test_the_list_of_a_file
        in_a_folder do
          File.write("mine.rb", <<~RUBY)
            Raffia::Lab.experiment("mine") do
              title "of my own"
              size n: 3
              work { |n| n }
              check { true }
              on :inline
              control :plain_ractors
            end
          RUBY
          assert_equal [0, "mine  of my own\n      n 3; on inline, plain_ractors\n", ""],
            call("list", "mine.rb")
        end
      end

      def test_a_file_to_start_from
        in_a_folder do
          assert_equal [0, "wrote mine.rb; run it: raffia lab run ./mine.rb\n", ""],
            call("new", "mine")
          experiment, = Source.load("mine.rb")
          assert_equal ["mine", {items: 1_000}], [experiment.name, experiment.params(1.0)]
          error = assert_raises(ConfigError) { call("new", "mine.rb") }
          assert_equal "mine.rb is there already: choose another name", error.message
          error = assert_raises(ConfigError) { call("new", "squares") }
          assert_equal "the lab has squares already: choose another name", error.message
        end
      end

      def test_the_help
        code, out, = call("--help")
        assert_equal 0, code
        %w[list run new compare --on --workers --runs --scale --ruby --against --tolerance --json
          --html].each { |word| assert_includes out, word }
        assert_operator out.lines.map { |line| line.chomp.size }.max, :<=, 120
        assert_includes CLI::Lab.summary, "measure"
      end

      private

      def in_a_folder(&) = Dir.mktmpdir { |dir| Dir.chdir(dir, &) }

      def call(*argv)
        out = StringIO.new
        err = StringIO.new
        [CLI::Lab.call(argv, out:, err:), out.string, err.string]
      end
    end
  end
end
