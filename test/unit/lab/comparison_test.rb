# frozen_string_literal: true

require "tmpdir"
require "raffia/lab/comparison"
require "raffia/lab/report/document"
require_relative "outcome_case"

module Raffia
  module Lab
    class ComparisonTest < OutcomeCase
      ENVIRONMENT = {ruby: "ruby 3.4.5", yjit: false, kernel: "Linux", cpu: "one", cores: 2,
                     backend: "epoll", load: 0.1}.freeze

      def test_verdicts
        changed = SECONDS.merge([:inline, 1] => [2.0, 2.1, 1.9],
          [:processes, 2] => [3.0, 3.1, 3.05], [:threads, 2] => [4.1, 3.9, 4.0])
        rows = compare(document, document(seconds: changed))[:experiments].first[:rows]
        assert_equal %w[better noise noise noise noise worse noise noise noise noise],
          rows.map { |row| row[:verdict] }
        assert_in_delta 2.0, rows.first[:ratio][:value]
        assert rows.first[:ratio][:low] > 1.8 &&
          rows.first[:ratio][:high] < 2.2, rows.first[:ratio].inspect
        assert_equal [4.0, 2.0, [3, 3]], rows.first.values_at(:before, :after, :runs)
        assert_in_delta 1.0, rows.first[:cpu][:value]
      end

      def test_more_is_better_for_rates
        before, after = [document,
          document(seconds: SECONDS.merge([:inline, 1] => [8.0, 8.1, 8.2]))].each { |data|
            data[:experiments].first[:more] = true
          }
        assert_equal "better", compare(before, after)[:experiments].first[:rows].first[:verdict]
      end

      def test_a_change_within_the_tolerance_is_none
        after = document(seconds: SECONDS.merge([:inline, 1] => [4.2, 4.3, 4.25]))
        verdicts = [0.0, 0.05, 0.1].map do |tolerance|
          compare(document, after, tolerance:)[:experiments].first[:rows].first[:verdict]
        end
        assert_equal %w[worse worse same], verdicts
      end

      def test_two_runs_prove_nothing
        after = document(seconds: SECONDS.merge([:inline, 1] => [8.0, 8.1]))
        assert_equal "noise", compare(document, after)[:experiments].first[:rows].first[:verdict]
      end

      def test_rows_on_one_side_only
        less = document(seconds: SECONDS.except([:inline, 1], [:threads, 2]))
        assert_equal({"gone" => 2, "noise" => 8}, compare(document, less)[:verdicts])
        assert_equal({"new" => 2, "noise" => 8}, compare(less, document)[:verdicts])
        assert_equal 2, compare(less, less)[:verdicts]["not run"]
      end

      def test_another_size_is_not_compared
        other = document
        other[:experiments].first[:params] = {limit: 5}
        other[:experiments].first[:size] = "0...5"
        comparison = compare(other, document)
        assert_equal({"other size" => 10}, comparison[:verdicts])
        assert_equal ["squares had another size (0...5, now 0...36_036_000): its figures are not " \
          "compared"], comparison[:warnings]
      end

      def test_what_differs_besides
        other = document
        other[:environment].update(ruby: "ruby 3.3.8", yjit: true, cpu: nil, load: 3.0)
        other[:interrupted] = true
        assert_equal ["the Ruby is another one: ruby 3.3.8, now ruby 3.4.5",
          "YJIT is another one: on, now off", "the processor is another one: unknown, now one",
          "the machine was busy before (load 3.0)", "the earlier result was interrupted"],
          compare(other, document)[:warnings]
        assert_empty compare(document, document)[:warnings]
      end

      def test_an_experiment_that_was_not_run_before
        none = document.merge(experiments: [])
        assert_equal [["squares was not run before: nothing to compare it with"], []],
          compare(none, document).values_at(:warnings, :experiments)
        assert_empty compare(document, none)[:experiments]
      end

      def test_files
        in_a_file(JSON.generate(document)) do |path|
          assert_equal document, Report::Document.read(path)
        end
        {"{" => /is no result of the lab/, "[]" => /is no result of the lab/,
         '{"experiments":1}' => /is no result/,
         '{"schema":9,"environment":{},"experiments":[]}' =>
            /schema 9; this version of the lab reads 2: measure again/}.each do |text, message|
          in_a_file(text) do |path|
            assert_match message, assert_raises(ConfigError) { Report::Document.read(path) }.message
          end
        end
        assert_match(%r{\A/no/such/file cannot be read: No such file or directory\z},
          assert_raises(ConfigError) { Report::Document.read("/no/such/file") }.message)
      end

      private

      def compare(before, after, **) = Comparison.new(before, after, **).to_h

      # A document as it is read from a file.
      def document(**)
        Report::Document.normal(Report::Document.of([outcome(**)], environment: ENVIRONMENT,
          interrupted: false, started: Time.at(0).utc, seed: 1, arguments: []))
          .merge(seconds: 1.0)
      end

      def in_a_file(text)
        Dir.mktmpdir do |dir|
          File.join(dir, "a.json").then { |path| File.write(path, text) && yield(path) }
        end
      end
    end
  end
end
