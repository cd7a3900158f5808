# frozen_string_literal: true

require_relative "pool_contract"

class PoolInlineTest < Raffia::TestCase
  include PoolContract

  def strategy = :inline

  def test_it_runs_in_the_caller_one_after_the_other
    seen = []
    Raffia.each(1..5, on: :inline) { |n| seen << [n, Thread.current] }
    assert_equal((1..5).map { |n| [n, Thread.current] }, seen)
  end

  def test_an_item_is_worked_on_before_the_next_is_read
    log = []
    input = Enumerator.new { |out| 3.times { |n| (log << [:read, n]) && out << n } }
    Raffia.each(input, on: :inline) { |n| log << [:work, n] }
    assert_equal([[:read, 0], [:work, 0], [:read, 1], [:work, 1], [:read, 2], [:work, 2]], log)
  end
end
