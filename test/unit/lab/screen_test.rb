# frozen_string_literal: true

require "test_helper"
require "pty"
require "stringio"
require "raffia/lab/report/screen"

module Raffia
  module Lab
    class ScreenTest < TestCase
      def test_a_pipe_is_plain
        screen = Report::Screen.of(StringIO.new)
        assert_equal [120, false], [screen.width, screen.color]
      end

      def test_a_terminal_has_a_width_and_colours
        on_terminal(columns: 77) do |terminal|
          assert_equal [77, true], Report::Screen.of(terminal).to_h.values_at(:width, :color)
          assert_equal false, Report::Screen.of(terminal, color: :never).color
        end
      end

      def test_a_terminal_that_does_not_know_its_width_or_is_too_narrow
        on_terminal(columns: 0) { |terminal| assert_equal 80, Report::Screen.of(terminal).width }
        on_terminal(columns: 10) { |terminal| assert_equal 40, Report::Screen.of(terminal).width }
      end

      def test_colours_can_be_forced
        screen = Report::Screen.of(StringIO.new, color: :always)
        assert_equal "\e[1mx\e[0m", screen.bold("x")
        assert_equal "x", Report::Screen.of(StringIO.new).bold("x")
      end

      def test_wrapping
        screen = Report::Screen.new(width: 10, color: false, unicode: true)
        assert_equal ["one two", "three", "a-very-long-word", "end"],
          screen.wrap("one two three a-very-long-word end")
        assert_equal ["  one two", "  three"], screen.wrap("one two three", 2)
      end

      private

      def on_terminal(columns:)
        need_terminals
        PTY.open do |main, terminal|
          terminal.winsize = [24, columns]
          yield terminal
        ensure
          main.close
        end
      end
    end
  end
end
