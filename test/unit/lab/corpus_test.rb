# frozen_string_literal: true

require "test_helper"
require "tempfile"
require "raffia/lab/catalog"
require_relative "service_case"

module Raffia
  module Lab
    class CorpusTest < ServiceCase
      # Longer than two blocks, so that words lie across their ends.
      TEXT = ("It's the WORD-count, \u00e9t\u00e9 2026; the end.\n" * 15_000).b.freeze

      def test_the_programs_and_ruby_agree
        skip Service::Corpus.missing if Service::Corpus.missing
        serve(:corpus) do
          path = announced[:path]
          Service::Corpus.resize(path, 300_000)
          counts = Wordcount::Counter.count([0, 300_000], path)
          assert_equal({words: counts.values.sum, different: counts.size,
            table: Service::Corpus.digest(Wordcount::Counter.table(counts))}, report)
        end
        refute_path_exists announced[:path]
      end

      def test_a_file_is_made_as_large_as_it_is_wanted
        with_text do |path|
          size = TEXT.bytesize
          [size * 2 + 7, size, 10].each do |bytes|
            Service::Corpus.resize(path, bytes)
            assert_equal (TEXT * 3).byteslice(0, bytes), File.binread(path)
          end
        end
      end

      def test_words_are_counted_as_a_regular_expression_would
        with_text do |path|
          assert_equal TEXT.downcase.scan(/[a-z]+/n).tally,
            Wordcount::Counter.count([0, TEXT.bytesize], path)
        end
      end

      def test_parts_are_the_whole_and_cut_no_word
        with_text do |path|
          whole = Wordcount::Counter.count([0, TEXT.bytesize], path)
          [1, 2, 3, 7].each do |count|
            parts = Wordcount::Counter.parts(path, count)
            assert_equal [count, 0, TEXT.bytesize], [parts.size, parts.first.first, parts.last.last]
            assert_equal parts.map(&:last)[..-2], parts.map(&:first).drop(1)
            assert_equal whole,
              Wordcount::Counter.together(parts.map { |part| Wordcount::Counter.count(part, path) })
          end
        end
      end

      def test_the_table_is_in_the_order_of_the_bytes
        assert_equal "a 2\naa 1\nb 10\n", Wordcount::Counter.table({"b" => 10, "aa" => 1, "a" => 2})
      end

      def test_a_wrong_count_is_noticed
        right = {words: 9, different: 2, table: "x"}
        verdict = ->(**facts) {
          Lab.experiment("wordcount").verify({}, {**right, **facts}, right).values
        }
        assert_equal [[true, true], [false, true], [true, false], [true, false]],
          [verdict[], verdict[words: 8], verdict[different: 3], verdict[table: "y"]]
      end

      private

      def with_text
        Tempfile.create("raffia-words-", binmode: true) do |file|
          file.write(TEXT)
          file.flush
          yield file.path
        end
      end
    end
  end
end
