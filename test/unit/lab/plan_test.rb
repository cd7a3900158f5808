# frozen_string_literal: true

require "test_helper"
require "raffia/lab/plan"

module Raffia
  module Lab
    class PlanTest < TestCase
      def test_the_tour_has_every_experiment
        assert_equal EXPERIMENTS.keys, Plan.tour(cores: 2)
          .map { |selection| selection.experiment.name }
      end

      def test_the_usual_cells
        selection, = Plan.of(["squares"], cores: 2)
        assert_equal ["squares on inline", "squares on threads x2", "squares on ractors",
          "squares on ractors x2",
          "squares on processes", "squares on processes x2", "squares on plain_ractors",
          "squares on plain_ractors x2",
          "squares on plain_processes", "squares on plain_processes x2"],
          selection.cells.map(&:to_s)
        assert_equal [1.0, 5], [selection.scale, selection.runs]
      end

      def test_workers_up_to_the_cores
        selection, = Plan.of(["squares"], on: ["processes"], cores: 6)
        assert_equal [1, 2, 4, 6] * 2, selection.cells.map(&:workers)
        assert_equal [1, 1], Plan.of(["squares"], on: ["processes"], cores: 1).first.cells
          .map(&:workers)
      end

      def test_a_control_comes_with_its_strategy
        variants = ->(on) { Plan.of(["mailer"], on:, cores: 2).first.cells.map(&:variant) }
        assert_equal %i[ractors plain_ractors], variants[["ractors"]]
        assert_equal %i[inline processes plain_processes], variants[%w[processes inline]]
        assert_equal %i[plain_ractors], variants[["plain_ractors"]]
      end

      def test_workers_are_for_those_who_have_any
        selection, = Plan.of(["mailer"], on: %w[inline threads], workers: [3, 3, 5], cores: 2)
        assert_equal [[:inline, 1], [:threads, 3], [:threads, 5]],
          selection.cells.map { |cell| [cell.variant, cell.workers] }
        assert_equal [1], Plan.of(["http"], workers: [4], cores: 2).first.cells.map(&:workers).uniq
      end

      def test_an_unknown_experiment
        assert_refused(/\Athere is no experiment mailr: choose from mailer, io_wait, /) do
          Plan.of(["mailr"])
        end
        assert_refused(/\Aname an experiment to run: mailer, /) { Plan.of([]) }
      end

      def test_an_unknown_strategy
        assert_refused("there is no strategy rabbits in squares: choose from inline, threads, " \
        "ractors, processes, plain_ractors, " \
          "plain_processes") do
          Plan.of(["squares"], on: ["rabbits"])
        end
      end

      def test_a_strategy_that_one_of_them_lacks
        assert_refused("http does not run on threads: it has uring, epoll, poll, select") do
          Plan.of(%w[mailer http], on: ["threads"])
        end
      end

      def test_numbers_that_make_no_sense
        [0, -1, 1_001].each do |count|
          assert_refused("workers: #{count} makes no sense: use whole numbers from 1 to 1000") do
            Plan.of(["mailer"], workers: [2, count])
          end
        end
        assert_refused("runs: -5 makes no sense: use a whole number from 1 up") do
          Plan.of(["mailer"], runs: -5)
        end
        [0.0, -1.0, Float::INFINITY, Float::NAN].each do |scale|
          assert_refused(/\Ascale: \S+ makes no sense: use a number above 0/) do
            Plan.of(["mailer"], scale:)
          end
        end
      end

      def test_plans_can_be_shared_with_ractors
        assert Ractor.shareable?(EXPERIMENTS)
        assert Ractor.shareable?(Plan::TOUR)
        assert Ractor.shareable?(PublishedFigures::FIGURES)
      end
    end
  end
end
