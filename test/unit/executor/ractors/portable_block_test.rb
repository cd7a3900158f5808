# frozen_string_literal: true

require "test_helper"
require "raffia/pool"
require "timeout"
require "erb"
require "tmpdir"

class PortableBlockTest < Raffia::TestCase
  PortableBlock = Raffia::Executor::Ractors::PortableBlock
  IsolationViolation = Raffia::Executor::Ractors::IsolationViolation

  def share(&block) = PortableBlock.share(block)

  def refused(&block) = assert_raises(Raffia::NotShareable) { PortableBlock.share(block) }

  def helper = 1

  def test_what_the_blocks_own_self_would_be_missed_for
    @value = 1
    assert_equal(:@value, refused { @value }.variable)
    assert_equal(:@value, refused { @value = 2 }.variable)
    assert_equal(:helper, refused { helper }.variable)
    assert_equal(:helper, refused { |x| helper.foo(x) }.variable)
    assert_match(/portable_block_test.rb:\d+ uses helper of a PortableBlockTest/,
      refused { helper }.message)
  end

  def test_what_any_self_can_do_is_no_obstacle
    PortableBlock.check(proc { |x| puts(x) || format("%d", x) || rand || x.foo || Integer("1") })
  end

  # A block within may run under another self, as those of a DSL do.
  def test_inner_blocks_are_not_judged
    PortableBlock.check(proc { |x| Object.new.instance_eval { whatever && @other && x } })
  end

  def test_symbols_and_methods
    assert_equal("A", share(&:upcase).call("a"))
    assert_equal(2.0, share(&Math.method(:sqrt)).call(4))
    assert_equal(:self, refused(&[].method(:push)).variable)
  end

  def test_a_shareable_proc_is_taken_as_it_is
    block = nil.instance_exec { Ractor.make_shareable(proc { 1 }) }
    assert_same(block, PortableBlock.share(block))
  end

  TABLE = {a: 1} # standard:disable Style/MutableConstant
  FROZEN = {a: 1}.freeze
  LOCK = Thread::Mutex.new

  # Methods that do what no Ractor may, and some that do not.
  module Deed
    LIST = [] # standard:disable Style/MutableConstant
    @ready = 1

    class << self
      def reads(item) = LIST.include?(item)

      def calls(item) = reads(item)

      def keeps(item) = @kept = item

      def checks(item) = @ready + item

      def harmless(item) = item.to_s

      define_method(:made) { |item| item }
    end
  end

  # Its initializer uses what no Ractor may see.
  class Maker
    def initialize = @lock = LOCK
  end

  def assert_obstacle(variable, words, &block)
    error = refused(&block)
    assert_equal(variable, error.variable)
    assert_match(words, error.message)
    assert_match(/portable_block_test.rb:\d+/, error.location)
    assert_equal(error.message, PortableBlock.obstacle(block))
  end

  def test_constants_that_are_not_shareable
    words = Regexp.new("uses TABLE, which holds a Hash that is not deeply frozen. " \
      "Freeze it .* TABLE = Ractor.make_shareable")
    assert_obstacle(:TABLE, words) do |x|
      TABLE[x]
    end
    assert_obstacle(:"Deed::LIST", /uses Deed::LIST, which holds an Array/) { Deed::LIST }
    assert_obstacle(:"PortableBlockTest::TABLE", /a Hash/) { ::PortableBlockTest::TABLE }
    words = /holds a Thread::Mutex. Let each Ractor have its own, Ractor.current\[:lock\]/
    assert_obstacle(:LOCK, words) do
      LOCK.synchronize { 1 }
    end
  end

  def test_constants_of_inner_blocks_and_rescues
    assert_obstacle(:TABLE, /Hash/) { |x| [x].map { |y| TABLE[y] } }
    assert_obstacle(:TABLE, /Hash/) do |x|
      Integer(x)
    rescue ArgumentError
      TABLE
    end
  end

  def test_globals_and_class_variables
    assert_obstacle(:$portable, /\$portable, which is a global variable. Assign it/) do
      $portable # standard:disable Style/GlobalVars
    end
    assert_obstacle(:$portable, /global/) { $portable = 1 } # standard:disable Style/GlobalVars
    assert_obstacle(:@@portable, /@@portable, which is a class variable/) do
      @@portable # standard:disable Style/ClassVars
    end
  end

  def test_methods_of_modules_are_followed
    assert_obstacle(:LIST, /: PortableBlockTest::Deed.reads, which it calls, uses LIST/) do |x|
      Deed.reads(x)
    end
    words = /Deed.reads, which it calls by way of PortableBlockTest::Deed.calls, uses LIST/
    assert_obstacle(:LIST, words) do |x|
      Deed.calls(x)
    end
    assert_obstacle(:LIST, /uses LIST/, &Deed.method(:reads))
    words = /@kept, which is an instance variable of PortableBlockTest::Deed/
    assert_obstacle(:@kept, words) do |x|
      Deed.keeps(x)
    end
    assert_obstacle(:LOCK, /Maker.new, which it calls, uses LOCK/) { Maker.new }
    words = /was made by define_method. Define it with def/
    assert_obstacle(:"PortableBlockTest::Deed.made", words) do |x|
      Deed.made(x)
    end
  end

  def test_what_ruby_brings_and_is_known_to_fail
    assert_obstacle(:require, /loads code. Load it before the call/) { require "no_such_library" }
    assert_obstacle(:pp, /loads code. Use p or puts/) { |x| pp x }
    assert_obstacle(:"Timeout.timeout", /Use Raffia.timeout/) { |x| Timeout.timeout(1) { x } }
    if defined?(ERB::NOT_GIVEN) # until ERB 6
      assert_obstacle(:"ERB.new", /Compile the template before/) do |x|
        ERB.new("x").result
      end
    end
  end

  def test_what_is_no_obstacle
    [proc { |x| FROZEN[x] }, proc { |x| Deed.harmless(x) }, proc { |x| Deed.checks(x) },
      Deed.method(:harmless).to_proc, :upcase.to_proc, proc { $stdout.puts(ENV["x"], Math::PI) },
      proc { |x| NoSuchConstant.foo(x) }, proc { |x| Deed.no_such_method(x) },
      proc { |x| Raffia.run { Raffia.map([x], on: :fibers) { |y| y } } }].each do |block|
      assert_nil(PortableBlock.obstacle(block))
    end
  end

  def test_asking_changes_nothing
    block = proc { |x| x }
    assert_nil(PortableBlock.obstacle(block))
    refute_predicate(block, :frozen?)
    assert_same(self, block.binding.receiver)
  end

  def test_what_is_autoloaded_is_loaded_now
    path = File.join(Dir.mktmpdir, "late.rb")
    File.write(path, "PortableBlockTest::Late = [1]")
    self.class.autoload(:Late, path)
    assert_obstacle(:Late, /an Array/) { Late }
  ensure
    FileUtils.rm_r(File.dirname(path))
  end

  # The messages of 3.3 and 3.4 in a Ractor.
  def test_errors_that_ruby_raises_in_the_ractor
    block = proc {}
    {
      Ractor::IsolationError.new("can not access non-shareable objects in constant A::B by " \
        "non-main Ractor.") =>
        [:"A::B", /Freeze it/],
      Ractor::IsolationError.new("can not access global variables $x from non-main Ractors") =>
        [:$x, /local variable/],
      Ractor::IsolationError.new("can not access class variables from non-main Ractors") =>
        [nil, /frozen constant/],
      Ractor::IsolationError.new("can not set instance variables of classes/modules by " \
        "non-main Ractors") =>
        [nil, /frozen constant/],
      Ractor::UnsafeError.new("ractor unsafe method called from not main ractor") =>
        [nil, /C extension/],
      RuntimeError.new("defined with an un-shareable Proc in a different Ractor") =>
        [nil, /def instead/]
    }.each do |said, (variable, advice)|
      failure = Raffia::Executor::Failure.new(:error, 0, said, [])
      IsolationViolation.explain(Raffia::Executor::Reply.new(nil, failure), block)
      assert_instance_of(Raffia::NotShareable, failure.value)
      assert_same(said, failure.value.cause)
      assert_equal(variable.inspect, failure.value.variable.inspect)
      assert_match(advice, failure.value.message)
    end
  end

  def test_other_errors_stay_as_they_are
    failure = Raffia::Executor::Failure.new(:error, 0, RuntimeError.new("mine"), [])
    IsolationViolation.explain(Raffia::Executor::Reply.new(nil, failure), proc {})
    assert_equal("mine", failure.value.message)
  end

  # The words of 3.3 and 3.4.
  def test_rubys_own_words_are_read
    block = proc {}
    {
      "can not isolate a Proc because it accesses outer variables (a, b)." =>
        [:"a, b", /Hand it in/],
      "can not make shareable Proc because it can refer unshareable object [1] from variable " \
        "'list'" =>
        [:list, /Freeze it with Ractor.make_shareable\(list\)/],
      "can not make shareable Proc because it can refer unshareable object [1] from variable " \
        "`list'" =>
        [:list, /Freeze it/],
      "can not make a Proc shareable because it accesses outer variables (sum)." =>
        [:sum, /Return a value instead of assigning to sum/],
      "can not make a Proc shareable because it uses 'yield'." =>
        [:yield, /Take the block as a parameter/],
      "something else" => [nil, /what no other Ractor may see/]
    }.each do |words, (variable, advice)|
      error = PortableBlock.refusal(block, ArgumentError.new(words))
      assert_equal(variable.inspect, error.variable.inspect)
      assert_match(advice, error.message)
    end
  end
end
