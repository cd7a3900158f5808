# frozen_string_literal: true

require "test_helper"
require "raffia/lab/stop_signal"

module Raffia
  module Lab
    class StopSignalTest < TestCase
      def test_nothing_has_been_asked_for
        StopSignal.listen do |stop|
          refute_predicate stop, :requested?
          assert_nil stop.code
          assert_nil stop.check
          assert_nil stop.io.wait_readable(0)
        end
      end

      def test_signals_are_wishes_with_exit_codes
        {"INT" => 130, "TERM" => 143}.each do |signal, code|
          StopSignal.listen do |stop|
            ::Process.kill(signal, ::Process.pid)
            stop.io.wait_readable(PATIENCE)
            assert_equal [true, code], [stop.requested?, stop.code]
            assert_raises(StopSignal::Requested) { stop.check }
          end
        end
      end

      def test_the_first_wish_counts
        StopSignal.listen do |stop|
          stop.request(143)
          stop.request(130)
          assert_equal 143, stop.code
        end
      end

      def test_afterwards_signals_do_what_they_did
        assert_no_leaks { assert_equal 7, StopSignal.listen { 7 } }
        assert_raises(Interrupt) { ::Process.kill("INT", ::Process.pid).then { sleep(PATIENCE) } }
      end
    end
  end
end
