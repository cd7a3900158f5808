# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "raffia/lab/campaign"
require "raffia/lab/experiment"
require "raffia/lab/selection"

module Raffia
  module Lab
    # Sessions and campaigns, with children that play their parts from a script instead of working.
    class SessionTest < TestCase
      # An experiment whose checks are the test's.
      class Fake < Experiment
        def name = "fake"

        def title = "nothing at all"

        def params(scale) = {scale:}

        def variants = %i[inline threads]

        def verify(params, facts, report)
          {"right" => facts[:answer] == 42 && params[:scale].positive? && report.empty?}
        end
      end

      # Like Fake, but it cannot run on threads.
      class Hindered < Fake
        def obstacles(_params) = {threads: "no threads today"}
      end

      # Messages of a child that succeeds.
      FINE = 'out = IO.for_fd(3); $stdin.gets; out.puts(%({"event":"ready"})); out.flush; ' \
      "$stdin.gets; " \
        'out.puts(%({"event":"done","seconds":0.5,"cpu":0.25})); out.flush; $stdin.gets; ' \
        'out.puts(%({"event":"reported","facts":{"answer":42}})); out.flush; $stdin.read'

      # Records its messages.
      Notes = Struct.new(:said) do
        def start(cells) = said << cells.size

        def running(cell) = said << cell.variant

        def finished(_cell) = nil
      end

      def test_a_run
        run = assert_no_leaks { session(FINE) }
        assert_equal [0.5, 0.25, 42, {"right" => true}],
          run.values_at(:seconds, :cpu, :answer, :checks)
        assert_operator run[:pss], :>, 0
        assert_operator run[:threads], :>=, 1
      end

      def test_a_wrong_result
        assert_equal({"right" => false}, session(FINE.sub("42", "41"))[:checks])
      end

      def test_a_child_that_reports_an_error
        code = 'IO.for_fd(3).syswrite(%({"event":"failed","error":"ThreadError","message":"no ' \
          'more","where":"a.rb:1"}\n)); $stdin.read'
        assert_equal({error: "ThreadError: no more (a.rb:1)", unfit: false},
          assert_no_leaks { session(code) })
      end

      def test_a_child_that_dies
        assert_match(/\Athe process of the run was ended by SIGKILL\z/,
          session("Process.kill(:KILL, Process.pid)")[:error])
        assert_match(/\Athe process of the run ended with status 9: last words\z/,
          session('warn "last words"; exit! 9')[:error])
      end

      def test_a_stop_ends_the_children
        stop = StopSignal.new
        waiting = Thread.new { session("sleep", stop) }
          .tap { |thread| thread.report_on_exception = false }
        stop.request
        assert_raises(StopSignal::Requested) { waiting.value }
        stop.close
      end

      def test_a_campaign
        notes, outcomes = campaign(Fake.new, FINE)
        assert_equal 4, notes.first
        assert_equal %i[inline inline threads threads], notes.drop(1).sort
        assert_equal [true, true], outcomes.first.values_at(:check, :finished)
        assert_equal [2, 2], outcomes.first[:rows].map { |row| row[:count] }
      end

      def test_obstacles_are_told_and_not_run
        notes, outcomes = campaign(Hindered.new, FINE)
        assert_equal [2, :inline, :inline], notes
        assert_equal [["ok", nil], ["skipped", "no threads today"]],
          outcomes.first[:rows].map { |row| row.values_at(:status, :reason) }
      end

      def test_what_failed_once_is_not_tried_again
        notes, outcomes = campaign(Fake.new, "exit! 9")
        assert_equal %i[inline threads], notes.drop(1).sort
        assert_equal false, outcomes.first[:check]
      end

      def test_a_stopped_campaign_tells_what_was_finished
        stop = StopSignal.new
        count = 0
        _, outcomes = campaign(Fake.new, FINE, stop) { stop.request if (count += 1) == 3 }
        assert_equal [2, false, true], [outcomes.first[:rows].sum { |row| row[:count].to_i },
          *outcomes.first.values_at(:finished, :check)]
        stop.close
      end

      def test_the_same_seed_gives_the_same_order
        orders = Array.new(2) { campaign(Fake.new, FINE, runs: 6).first }
        assert_equal(*orders)
      end

      private

      def session(code, stop = StopSignal.new)
        with_children(code) do
          Session.new(Fake.new, Cell.new("fake", :inline, 1), {scale: 1.0}, stop).call
        end
      end

      def campaign(experiment, code, stop = StopSignal.new, runs: 2, &on_running)
        notes = Notes.new([])
        notes.define_singleton_method(:running) { |cell| super(cell).tap { on_running&.call } }
        selection = Selection.of(experiment, scale: 1.0, runs:, cores: 2)
        outcomes = with_children(code) do
          Campaign.new([selection], stop:, progress: notes, seed: 5, cores: 2).call { nil }
        end
        [notes.said, outcomes]
      end

      def with_children(code)
        Subprocess.stub(:ruby, [RbConfig.ruby, "-e", code]) { yield }
      end
    end
  end
end
