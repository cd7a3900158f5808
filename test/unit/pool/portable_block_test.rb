# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

class PortableBlockTest < Raffia::TestCase
  def share(&block) = Raffia::Pool::PortableBlock.share(block)

  def refused(&block) = assert_raises(Raffia::NotShareable) { Raffia::Pool::PortableBlock.share(block) }

  def helper = 1

  def test_what_the_blocks_own_self_would_be_missed_for
    @value = 1
    assert_equal(:@value, refused { @value }.variable)
    assert_equal(:@value, refused { @value = 2 }.variable)
    assert_equal(:helper, refused { helper }.variable)
    assert_equal(:helper, refused { |x| helper.foo(x) }.variable)
    assert_match(/portable_block_test.rb:\d+ uses helper of a PortableBlockTest/, refused { helper }.message)
  end

  def test_what_any_self_can_do_is_no_obstacle
    Raffia::Pool::PortableBlock.check(proc { |x| puts(x) || format("%d", x) || rand || x.foo || Integer("1") })
  end

  # A block within may run under another self, as those of a DSL do.
  def test_inner_blocks_are_not_judged
    Raffia::Pool::PortableBlock.check(proc { |x| Object.new.instance_eval { whatever && @other && x } })
  end

  def test_symbols_and_methods
    assert_equal("A", share(&:upcase).call("a"))
    assert_equal(2.0, share(&Math.method(:sqrt)).call(4))
    assert_equal(:self, refused(&[].method(:push)).variable)
  end

  def test_a_shareable_proc_is_taken_as_it_is
    block = nil.instance_exec { Ractor.make_shareable(proc { 1 }) }
    assert_same(block, Raffia::Pool::PortableBlock.share(block))
  end

  # As 3.3 and 3.4 word it.
  def test_rubys_own_words_are_read
    block = proc {}
    {
      "can not isolate a Proc because it accesses outer variables (a, b)." => [:"a, b", /Hand it in/],
      "can not make shareable Proc because it can refer unshareable object [1] from variable 'list'" => [:list, /Freeze it with Ractor.make_shareable\(list\)/],
      "can not make shareable Proc because it can refer unshareable object [1] from variable `list'" => [:list, /Freeze it/],
      "can not make a Proc shareable because it accesses outer variables (sum)." => [:sum, /Return a value instead of assigning to sum/],
      "can not make a Proc shareable because it uses 'yield'." => [:yield, /Take the block as a parameter/],
      "something else" => [nil, /what no other Ractor may see/]
    }.each do |words, (variable, advice)|
      error = Raffia::Pool::PortableBlock.refusal(block, ArgumentError.new(words))
      assert_equal(variable.inspect, error.variable.inspect)
      assert_match(advice, error.message)
    end
  end
end
