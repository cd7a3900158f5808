# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

class ItemContextTest < Raffia::TestCase
  def mark(error, item, index) = Raffia::Pool::ItemContext.mark(error, item, index)

  def test_the_class_stays_and_the_item_is_there
    error = mark(ArgumentError.new("no"), {a: 1}, 4)
    assert_kind_of(ArgumentError, error)
    assert_equal(["no", {a: 1}, 4], [error.message, error.item, error.item_index])
    assert_includes(error.full_message(highlight: false), "[item 4: #{{a: 1}.inspect}]")
  end

  def test_it_can_be_rescued_by_the_module
    raise mark(IOError.new("x"), 1, 0)
  rescue Raffia::Pool::ItemContext => error
    assert_instance_of(IOError, error)
  end

  # A class may refuse to be copied.
  class Single < StandardError
    def initialize_copy(_) = raise(TypeError, "there is one of these")
  end

  def test_frozen_exceptions_are_marked_in_a_copy
    frozen = IOError.new("cold").freeze
    marked = mark(frozen, 1, 0)
    assert_equal ["cold", 1, IOError], [marked.message, marked.item, marked.class]
    refute_kind_of Raffia::Pool::ItemContext, frozen
    single = Single.new.freeze
    assert_same single, mark(single, 1, 0)
  end

  def test_long_and_broken_items_do_not_fill_the_message
    broken = Object.new
    def broken.inspect = raise("no")
    assert_includes(mark(IOError.new("x"), broken, 0).detailed_message, "[item 0: Object]")
    assert_operator(mark(IOError.new("x"), "y" * 1000, 0).detailed_message.size, :<, 200)
  end

  def test_it_survives_marshal
    copy = Marshal.load(Marshal.dump(mark(IOError.new("x"), [1], 3)))
    assert_equal([[1], 3], [copy.item, copy.item_index])
  end
end
