# frozen_string_literal: true

require "test_helper"
require "raffia"
require "raffia/lab/catalog"

module Raffia
  module Lab
    # The work of each experiment by itself, and what its checks make of results that are wrong.
    class ExperimentsTest < TestCase
      def test_squares_and_their_formula
        [1, 2, 10, 1_001].each do |limit|
          sums = Squares.split(limit, 7).map { |range| Squares.sum(range) }
          assert_equal [(0...limit).sum { |n| n * n }] * 2, [sums.sum, Squares.closed_form(limit)],
            limit
        end
      end

      def test_squares_notices_a_wrong_sum
        assert_equal({"the sum equals the formula's" => true},
          Lab.experiment("squares").verify({limit: 10}, {sum: 285}, {}))
        assert_equal [false], Lab.experiment("squares").verify({limit: 10}, {sum: 286}, {}).values
      end

      def test_squares_at_the_published_size
        assert_equal({limit: 72_072_000}, Lab.experiment("squares").params(1.0))
        assert_equal "0...72_072_000", Lab.experiment("squares").size({limit: 72_072_000})
      end

      def test_a_round_trip_through_zlib
        before, after = Deflate.round_trip(3, 2)
        assert_equal 2 * Deflate::BLOCK, before
        assert after.between?(1, before - 1)
      end

      def test_zlib_notices_a_buffer_that_came_back_changed
        facts = {bytes: [Deflate::BLOCK, 0], deflated: [100, 100]}
        verdict = Lab.experiment("zlib").verify({buffers: 2, blocks: 1}, facts, {})
        refute verdict["bytes round-tripped"]
      end

      def test_mailer_notices_a_lost_and_a_torn_mail
        params = {mails: 2, fib: 10}
        facts = {sent: 2, fibs: [55], checksums: 9}
        verdict = ->(**report) { Lab.experiment("mailer").verify(params, facts, report).values }
        assert_equal [true, true, true, true], verdict[mails: 2, different: 2, checksums: 9]
        assert_equal [false, false, false, true], verdict[mails: 1, different: 1, checksums: 4]
        assert_equal [true, false, true, true], verdict[mails: 2, different: 1, checksums: 9]
        refute Lab.experiment("mailer").verify(params, {**facts, fibs: [55, 54]},
          {})["fib is right"]
      end

      def test_every_kind_of_work_for_auto_is_the_same_work_on_each_strategy
        Auto::Workloads::ALL.each_key do |name|
          next if %i[few_long zlib].include?(name) # they take their time

          items, block = Auto::Workloads.of(name, 0.01)
          once = items.map(&block)
          assert_equal once, Raffia.map(items, on: :auto, &block), name
          assert_equal once, Raffia.map(items, on: :processes, workers: 2, &block), name
        end
      end

      def test_auto_notices_results_that_differ_and_tells_its_reasons
        experiment = Lab.experiment("auto")
        assert experiment.verify({}, {alike: true}, {}).values.all?
        refute experiment.verify({}, {alike: false}, {}).values.all?
        runs = [{chosen: "inline x1", hand: "inline", reasons: "a\n  an item\n"},
          {chosen: "threads x2", hand: "inline", reasons: "a\n  an item\n"}]
        assert_equal ["arithmetic: 200,000 additions. By hand best: inline; :auto: inline x1 (1 " \
          "of 2), threads x2 (1 of 2), as an item"],
          experiment.remarks([{variant: "arithmetic", runs:},
            {variant: "zlib", runs: [{error: "none"}]}])
      end

      def test_io_wait_notices_answers_of_others
        params = {waits: [3.0, 2.0, 5.0]}
        assert Lab.experiment("io_wait").verify(params, {answers: [3.0, 2.0, 5.0]}, {served: 3})
          .values.all?
        refute Lab.experiment("io_wait").verify(params, {answers: [2.0, 3.0, 5.0]}, {served: 3})
          .values.all?
      end

      def test_many_tasks_notices_a_missing_one
        sum = (0...3).sum { |index| ManyTasks.checksum(index, 144) }
        experiment = Lab.experiment("threads_10k")
        assert experiment.verify({tasks: 3}, {tasks: 3, checksums: sum}, {}).values.all?
        refute experiment.verify({tasks: 3}, {tasks: 2, checksums: sum}, {}).values.all?
        refute experiment.verify({tasks: 3}, {tasks: 3, checksums: sum + 1}, {}).values.all?
      end

      def test_http_notices_errors_and_answers_that_nobody_counted
        params = {connections: 10}
        verdict = ->(**facts) {
          Lab.experiment("http").verify(params,
            {errors: 0, requests: 100, served: 105, connections: 20, **facts}, {}).values
        }
        assert_equal [true, true, true], verdict[]
        assert_equal [false, true, true], verdict[errors: 1]
        assert_equal [true, false, true], verdict[served: 99]
        assert_equal [true, false, true], verdict[served: 121]
        assert_equal [true, true, false], verdict[connections: 19]
      end

      def test_several_cores_are_two_at_least
        experiment = Lab.experiment("http_cores")
        assert_equal [[1], [2], [4]], [[:one_loop, 4], [:processes, 1],
          [:ractors_sharing, 4]].map { |variant, cores| experiment.workers(variant, cores) }
      end

      def test_blocking_db_notices_a_lost_row_and_a_failed_request
        params = {ten: 10, requests: 50}
        verdict = lambda do |rows: 62, **facts|
          Lab.experiment("blocking_db").verify(params,
            {errors: 0, complete: 62, served: 62, **facts}, {rows:}).values
        end
        assert_equal [[true, true, true], [false, true, true], [false, true, true],
          [true, false, true], [true, true, false]],
          [verdict[], verdict[errors: 1], verdict[complete: 61], verdict[rows: 61],
            verdict[served: 63]]
      end

      def test_blocking_db_is_scaled_by_the_statement_and_then_by_the_requests
        sizes = [1, 0.1, 0.05, 0.0001].map do |scale|
          Lab.experiment("blocking_db").params(scale).values
        end
        assert_equal [[2.0, 10, 200, 1_000], [0.2, 10, 200, 1_000], [0.1, 10, 100, 500],
          [0.01, 10, 10, 50]], sizes
      end

      def test_fan_out_notices_a_call_that_was_lost_or_made_twice
        params = {calls: 40}
        sum = ->(calls) {
          (0...calls).sum { |index| Zlib.crc32(Service::SlowWeb.document(index, FanOut::BYTES)) }
        }
        verdict = ->(calls, served, different, checksums = sum[calls]) do
          Lab.experiment("fan_out").verify(params, {calls:, checksums:}, {served:, different:})
            .values
        end
        assert_equal [[true, true, true], [true, true, true], [false, true, true],
          [true, false, true], [true, false, true], [true, true, false]],
          [verdict[40, 40, 40], verdict[2, 2, 2], verdict[39, 39, 39], verdict[40, 41, 40],
            verdict[40, 40, 39], verdict[40, 40, 40, 1]]
      end

      def test_no_name_is_used_twice
        all = EXPERIMENTS.values
        assert_equal all.map(&:name), all.map(&:name).uniq
        all.each do |experiment|
          assert_includes [nil, *experiment.variants, *experiment.controls.keys],
            experiment.baseline
        end
      end
    end
  end
end
