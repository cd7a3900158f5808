# frozen_string_literal: true

require "test_helper"
require "raffia"
require "raffia/lab/catalog"

module Raffia
  module Lab
    # The words of an experiment of one's own, and what is refused.
    class DefinitionTest < TestCase
      REFUSED = {
        "no work" => [proc { size n: 3 }, "it has no work: add work { |item| ... }"],
        "no check" => [proc { work { |n| n } }, /\Ait has no check: add check/],
        "a check without a block" => [proc { work { |n| n } && check("right") },
          /\Ait has no check/],
        "no items" => [proc { work { |n| n } && expect(1) },
          /\Ait has no items: add size n: 100, or items/],
        "a size that is none" => [proc { size n: [1] },
          "size n: [1] must be a number, a string, true or false"],
        "a strategy that is none" => [proc { on :rabbits },
          /\Athere is no strategy rabbits: choose from inline, fibers/],
        "a baseline that is " \
          "none" => [proc { size(n: 1) && expect(1) && work { |n| n } && baseline(:rabbits) },
            /\Abaseline rabbits is none of its rows: inline/],
        "no workers" => [proc { workers 2, 0 },
          "workers 0 makes no sense: use whole numbers from 1 up"],
        "a control without a block" => [proc { control :mine },
          /\Acontrol mine needs a block, because it is none of plain_processes, plain_ractors, /],
        "a misspelt word" => [proc { titel "x" },
          Regexp.new('\Atitel is no word of an experiment: ' \
            "there are baseline, check, control, .*work, workers")]
      }.freeze

      REFUSED.each do |what, (block, message)|
        define_method(:"test_refused: #{what}") do
          error = assert_raises(ConfigError) { Definition.read("mine", &block) }
          if message.is_a?(Regexp)
            assert_match(message, error.message)
          else
            assert_equal(message, error.message)
          end
        end
      end

      def test_names
        ["", "two words", "a/b", "9lives", nil].each do |name|
          error = assert_raises(ConfigError) { Definition.read(name) { nil } }
          assert_includes error.message, "is no name of an experiment"
        end
      end

      def test_other_errors_are_the_files
        assert_raises(NoMethodError) { Definition.read("mine") { Object.new.titel } }
        assert_raises(NameError) { Definition.read("mine") { NoSuchConstant } }
      end

      def test_ten_lines_are_enough
        mine = custom do
          size n: 100
          work { |n| n * 2 }
          expect { |size| (0...size[:n]).map { |n| n * 2 } }
        end
        assert_equal ["mine", "mine", Experiment::STRATEGIES, :inline, true],
          [mine.name, mine.title, mine.variants, mine.baseline, mine.cpu_bound?]
        assert_equal [{n: 100}, {n: 50}, {n: 1}],
          [1.0, 0.5, 0.0001].map { |scale| mine.params(scale) }
        assert_equal [[1], [4]], [mine.workers(:inline, 4), mine.workers(:threads, 4)]
        assert_equal({"the results are as expected" => true}, verdict(mine))
      end

      def test_all_the_words
        done = []
        mine = custom do
          title "of my own"
          size n: 4, share: 0.5, kind: "b"
          setup { |size| size[:n] * 10 }
          teardown { |_size, given| done << given }
          items { |size, given| (1..size[:n]).map { |n| n + given } }
          work { |n| n + 1 }
          check("all are there") { |results, size| results.size == size[:n] }
          check("they follow the setup's") { |results, _size, given| results.first == given + 2 }
          on :threads, :processes
          workers 2, 3
          control(:by_hand) { |items, workers| items.map { |n| n + 1 }.first(workers) }
          control :plain_threads
          options chunk: 1
          warm_up 1
          cpu_bound false
          note "a note"
        end
        assert_equal [:threads, "of my own", ["a note"], false],
          [mine.baseline, mine.title, mine.notes({}), mine.cpu_bound?]
        assert_equal({n: 2, share: 0.25, kind: "b"}, mine.params(0.5))
        assert_equal({by_hand: nil, plain_threads: :threads}, mine.controls)
        assert_equal [[2, 3], [2, 3], [1]],
          %i[threads by_hand plain_threads].map { |variant| mine.workers(variant, 8) }
        right = {"all are there" => true, "they follow the setup's" => true}
        assert_equal [right] * 2, %i[threads plain_threads].map { |variant| verdict(mine, variant) }
        assert_equal({"all are there" => false, "they follow the setup's" => true},
          verdict(mine, :by_hand))
        assert_equal [40] * 3, done
      end

      def test_a_block_of_an_experiment_can_go_to_ractors
        mine = custom do
          size n: 3
          work { |n| n * 2 }
          expect [0, 2, 4]
          control :plain_ractors
        end
        assert_equal [{"the results are as expected" => true}] * 2,
          %i[ractors plain_ractors].map { |variant| verdict(mine, variant) }
      end

      def test_a_result_that_is_wrong
        mine = custom do
          items %w[a b]
          work(&:upcase)
          expect %w[A b]
        end
        assert_equal({"the results are as expected" => false}, verdict(mine))
      end

      private

      def custom(&) = UserExperiment.new(Definition.read("mine", &), "mine.rb")

      # The steps of a run's process, in this process.
      def verdict(experiment, variant = :inline)
        setting = Setting.new(variant:, workers: 2, params: experiment.params(1.0), service: {})
        setting = setting.with(given: experiment.set_up(setting))
        experiment.warm_up(setting)
        facts = experiment.examine(setting, experiment.perform(setting))
        experiment.tear_down(setting)
        experiment.verify(setting.params, facts, {})
      end
    end
  end
end
