# frozen_string_literal: true

require "test_helper"
require "stringio"
require "tmpdir"
require "raffia/cli"
require "raffia/cli/lab"

module Raffia
  module Lab
    # What `raffia lab` refuses, all of it before anything is run, and what it lists.
    class CommandTest < TestCase
      REFUSED = {
        %w[run nonsense] => /\Athere is no experiment nonsense: choose from mailer, /,
        %w[run] => /\Aname an experiment to run/,
        %w[measure] => "raffia lab knows list and run, not measure. To run an experiment: raffia lab run NAME",
        %w[run mailer --on rabbits] => /\Athere is no strategy rabbits in mailer: choose from inline, /,
        %w[run http --on threads] => /\Athere is no strategy threads in http: choose from uring, /,
        %w[run mailer http --on threads] => /\Ahttp does not run on threads: it has uring, /,
        %w[run mailer --workers 0] => /\Aworkers: 0 makes no sense: use whole numbers from 1/,
        %w[run mailer --workers 2,many] => /\Aworkers: 2,many makes no sense: use whole numbers, as in/,
        %w[run mailer --runs -1] => /\Aruns: -1 makes no sense/,
        %w[run mailer --scale 0] => /\Ascale: 0.0 makes no sense/,
        %w[--runs 3] => "the tour has its own sizes: --runs goes with raffia lab run NAME --runs ...",
        %w[run mailer --json /no/such/folder/a.json] => /\A\/no\/such\/folder\/a\.json cannot be written: No such file or directory/,
        %w[run mailer --html /] => /\A\/ cannot be written: Is a directory/
      }.freeze

      REFUSED.each do |argv, message|
        define_method(:"test_refused: #{argv.join(" ")}") do
          error = assert_raises(ConfigError) { assert_no_leaks { call(*argv) } }
          message.is_a?(Regexp) ? assert_match(message, error.message) : assert_equal(message, error.message)
        end
      end

      def test_a_page_is_not_left_behind_when_the_other_cannot_be_written
        Dir.mktmpdir do |dir|
          assert_raises(ConfigError) { call("run", "squares", "--json", "#{dir}/a.json", "--html", "/no/such/folder/a.html") }
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
        EXPERIMENTS.each { |name, experiment| assert_match(/^#{name} +#{Regexp.escape(experiment.title)}$/, out) }
      end

      def test_the_help
        code, out, = call("--help")
        assert_equal 0, code
        %w[list run --on --workers --runs --scale --json --html].each { |word| assert_includes out, word }
        assert_operator out.lines.map { |line| line.chomp.size }.max, :<=, 120
        assert_includes CLI::Lab.summary, "measure"
      end

      private

      def call(*argv)
        out = StringIO.new
        err = StringIO.new
        [CLI::Lab.call(argv, out:, err:), out.string, err.string]
      end
    end
  end
end
