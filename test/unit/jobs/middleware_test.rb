# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsMiddlewareTest < Raffia::TestCase
  class Link
    def initialize(name, log) = (@name, @log = name, log)

    def call(*arguments)
      @log << [@name, *arguments]
      yield
    ensure
      @log << @name
    end
  end

  class Veto
    def call(*) = nil
  end

  def setup
    super
    @log = []
    @chain = Raffia::Jobs::Middleware.new
  end

  def link(name) = Link.new(name, @log)

  def test_without_links_there_is_only_what_is_inside
    assert_empty(@chain)
    assert_equal(7, @chain.call(1) { 7 })
  end

  def test_the_first_one_is_the_outermost
    @chain.add(link(:b)).add(link(:c)).prepend(link(:a))
    refute_empty(@chain)
    assert_equal(7, @chain.call(1, 2) { @log << :inside && 7 })
    assert_equal([[:a, 1, 2], [:b, 1, 2], [:c, 1, 2], :inside, :c, :b, :a], @log)
  end

  def test_who_does_not_yield_ends_it
    @chain.add(link(:a)).add(Veto.new)
    assert_nil(@chain.call { flunk })
    assert_equal([[:a], :a], @log)
  end

  def test_an_error_passes_through_all_of_them
    @chain.add(link(:a)).add(link(:b))
    assert_raises(IOError) { @chain.call { raise IOError } }
    assert_equal([[:a], [:b], :b, :a], @log)
  end

  def test_links_are_removed_by_themselves_or_by_their_class
    one = link(:a)
    @chain.add(one).add(link(:b)).add(Veto.new)
    @chain.remove(one).remove(Veto)
    @chain.call {}
    assert_equal([[:b], :b], @log)
    @chain.remove(Link)
    assert_empty(@chain)
  end

  # The chain is replaced as a whole.
  def test_a_change_does_not_touch_a_call_under_way
    chain = @chain
    log = @log
    chain.add(->(&go) { chain.remove(Link) && go.call }).add(link(:a))
    assert_equal(7, chain.call { 7 })
    assert_equal([[:a], :a], log)
    chain.call {}
    assert_equal([[:a], :a], log)
  end
end
