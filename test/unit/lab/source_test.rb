# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "raffia/lab/catalog"

module Raffia
  module Lab
    # Files of experiments, good ones and others.
    class SourceTest < TestCase
      MINE = 'Raffia::Lab.experiment("mine") { size n: 3; work { |n| n }; check { true } }'

      def test_several_in_one_file
        in_a_file("#{MINE}\n#{MINE.sub("mine", "other")}\n") do |path|
          found = Source.load(path)
          assert_equal [%w[mine other], [File.expand_path(path)] * 2],
            [found.map(&:name), found.map(&:defined_in)]
        end
      end

      def test_a_file_may_load_another
        in_a_file(MINE) do |path|
          File.write("more.rb", "require_relative 'constants'\n#{MINE.sub("mine", "other")}")
          File.write("constants.rb", "# nothing")
          assert_equal [["mine"], ["other"]],
            [Source.load(path), Source.load("more.rb")].map { |found| found.map(&:name) }
        end
      end

      REFUSED = {
        "nothing in it" => ["1 + 1",
          /\Amine\.rb defines no experiment: add Raffia::Lab\.experiment "name" do/],
        "a syntax error" => ["puts 1\ndef (", /\Amine\.rb is no Ruby program: .*mine\.rb:2/],
        "an exception" => ["\nInteger(\"x\")",
          "mine.rb:2 raised ArgumentError: invalid value for Integer(): \"x\""],
        "an exception in a method" => ["def a = raise(\"no\")\n\na",
          "mine.rb:1 raised RuntimeError: no"],
        "a library that is not there" => ["require \"no_such_library_here\"",
          /\Amine\.rb:1 raised LoadError: cannot load such file/],
        "an exit" => ["exit 3", "mine.rb:1 raised SystemExit: exit"],
        "too deep" => ["def a = a()\na", /\Amine\.rb:1 raised SystemStackError/],
        "a definition that makes no sense" => ["\nRaffia::Lab.experiment(\"mine\") { size n: 3 }",
          "mine.rb:2: mine: it has no work: add work { |item| ... }"],
        "a name that is none" => ["Raffia::Lab.experiment(\"m n\") { nil }",
          /\Amine\.rb:1: m n: "m n" is no name of an experiment/],
        "the same name twice" => ["#{MINE}\n#{MINE}",
          "mine.rb:2: mine: the file defines mine twice"]
      }.freeze

      REFUSED.each do |what, (text, message)|
        define_method(:"test_refused: #{what}") do
          in_a_file(text) { |path| assert_refused(message) { Source.load(path) } }
        end
      end

      def test_no_file
        assert_refused("there is no file none.rb") { Source.load("none.rb") }
        assert_refused("there is no file /") { Source.load("/") }
      end

      def test_after_a_failure_the_next_file_is_loaded
        in_a_file("raise") { |path| assert_raises(ConfigError) { Source.load(path) } }
        in_a_file(MINE) { |path| assert_equal ["mine"], Source.load(path).map(&:name) }
      end

      def test_a_definition_outside_of_such_a_file
        assert_refused(/\Amine: an experiment is defined in a file that raffia lab run loads/) do
          Lab.experiment("mine") { nil }
        end
      end

      def test_names_and_files_together
        in_a_file(MINE) do |path|
          assert_equal %w[squares mine zlib],
            Catalog.find(["squares", path, "zlib", path]).map(&:name)
          assert_refused("there is no experiment mine, but a file: raffia lab run ./mine.rb") do
            Catalog.find(["mine"])
          end
        end
      end

      def test_a_name_that_would_mean_two
        in_a_file(MINE.sub("mine", "squares")) do |path|
          assert_refused(
            /mine\.rb defines squares, which the lab has already: choose another name\z/
          ) { Catalog.find([path]) }
          File.write("a.rb", MINE)
          File.write("b.rb", MINE)
          assert_refused(/\Amine is defined in \S+a\.rb and in \S+b\.rb: choose another name\z/) do
            Catalog.find(%w[./a.rb ./b.rb])
          end
        end
      end

      private

      def in_a_file(text)
        Dir.mktmpdir do |dir|
          Dir.chdir(dir) do
            File.write("mine.rb", text)
            yield "mine.rb"
          end
        end
      end
    end
  end
end
