# frozen_string_literal: true

require "test_helper"
require "raffia/pool"
require "stringio"

class PoolProgressTest < Raffia::TestCase
  def out = @out ||= StringIO.new

  def test_nobody_asked
    assert_nil(Raffia::Pool::Progress.for(false, 10))
    assert_nil(Raffia::Pool::Progress.for(nil, 10))
  end

  def test_plain_lines_where_no_terminal_is
    progress = Raffia::Pool::Progress.for("mails", 8, out: out)
    progress.add(2)
    progress.add(4)
    progress.finish
    assert_equal("mails: 6 of 8 (75%)\n", out.string)
  end

  def test_without_a_total
    [nil, Float::INFINITY].each do |total|
      progress = Raffia::Pool::Progress.for(true, total, out: out)
      progress.add(3)
      progress.finish
    end
    assert_equal("raffia: 3\n" * 2, out.string)
  end

  def test_a_bar_where_a_terminal_is
    def out.tty? = true
    progress = Raffia::Pool::Progress.for("mails", 4, out: out)
    progress.add(4)
    progress.finish
    assert_match(/mails/, out.string)
  end

  def test_it_ends_with_the_call_even_if_that_fails
    _, lines = capture_io { Raffia.map([1, 2], on: :inline, progress: "sums") { |n| n } }
    assert_equal("sums: 2 of 2 (100%)\n", lines)
    _, lines = capture_io {
      assert_raises(IOError) { Raffia.map([1, 2], on: :threads, progress: true) { raise IOError } }
    }
    assert_match(/\Araffia: \d of 2/, lines)
  end
end
