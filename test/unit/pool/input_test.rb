# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

class PoolInputTest < Raffia::TestCase
  def of(items) = Raffia::Pool::Input.of(items)

  def test_what_can_be_read_by_position
    [[1, 2], 1..3, 1...3, 1.., 1..3.5].each do |items|
      assert_predicate(of(items), :indexed?, items.inspect)
    end
    [("a".."c"), (1.0..2.0), {a: 1}, [1].each, (1..3).lazy, Struct.new(:a).new(1)].each do |items|
      refute_predicate(of(items), :indexed?, items.inspect)
    end
  end

  def test_sizes
    assert_equal([2, 3, 2, Float::INFINITY, 3],
      [[1, 2], 1..3, 1...3, 1.., 1..3.5].map { |items| of(items).size })
    assert_equal([2, nil], [{a: 1, b: 2}, loop].map { |items| of(items).size })
  end

  def test_a_file_does_not_know_how_many_lines_it_has
    File.open(__FILE__) { |file| assert_nil(of(file).size) }
  end

  def test_what_ractors_can_be_given
    assert_nil(of([+"a"]).shareable)
    assert(Ractor.shareable?(of(Ractor.make_shareable(%w[a b])).shareable))
    assert(Ractor.shareable?(of(1..3).shareable))
    assert_nil(of([1].each).shareable)
  end

  def test_several_yielded_values_are_one_item
    yielder = Object.new
    def yielder.each
      yield
      yield 1
      yield 1, 2
      yield [3]
    end
    seen = []
    of(yielder).each { |item| seen << item }
    assert_equal([nil, 1, [1, 2], [3]], seen)
  end
end
