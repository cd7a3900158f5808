# frozen_string_literal: true

require "test_helper"
require "stringio"
require "raffia/lab/cell"
require "raffia/lab/progress"

module Raffia
  module Lab
    class ProgressTest < TestCase
      CELLS = [Cell.new("mailer", :inline, 1), Cell.new("mailer", :processes, 2)].freeze

      def test_a_terminal_gets_one_line_that_is_drawn_over
        out = StringIO.new
        progress = Progress.new(out, width: 30, live: true)
        walk(progress)
        progress.clear
        assert_equal "\r\e[Krun 1 of 2, mailer on inline\r\e[Krun 2 of 2, mailer on process\r\e[K",
          out.string
      end

      def test_anything_else_is_not_flooded
        out = StringIO.new
        progress = Progress.new(out, live: false)
        walk(progress)
        progress.clear
        assert_empty out.string
      end

      def test_the_rest_is_estimated_from_what_was_seen
        out = StringIO.new
        progress = Progress.new(out, width: 100, live: true)
        progress.start(CELLS * 4)
        (CELLS * 2).each { |cell| progress.running(cell).then { progress.finished(cell) } }
        assert_match(/run 4 of 8, mailer on processes x2, about 0 s left\z/, out.string)
      end

      private

      def walk(progress)
        progress.start(CELLS.dup)
        CELLS.each { |cell| progress.running(cell).then { progress.finished(cell) } }
      end
    end
  end
end
