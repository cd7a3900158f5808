# frozen_string_literal: true

require "test_helper"
require_relative "../../../script/mutate"

# Which changes `rake mutate` makes of a piece of Ruby, and which it leaves alone.
class MutateOperatorsTest < Raffia::TestCase
  # @return [Array<String>] the program after each change of that kind
  def changed(source, operator = nil)
    mutants = Mutate::Operators.mutants(source, "lib/raffia/task/thing.rb")
    mutants = mutants.select { |mutant| mutant.operator == operator } if operator
    mutants.map { |mutant| mutant.apply(source) }
  end

  def test_conditions_are_negated_and_a_not_is_dropped
    assert_equal ["a if !(b && c)"], changed("a if b && c", :condition)
    assert_equal ["a unless !(b)"], changed("a unless b", :condition)
    assert_equal ["!(x) ? 1 : 2"], changed("x ? 1 : 2", :condition)
    assert_equal ["run while !(x)"], changed("run while x", :condition)
    assert_equal ["x = y"], changed("x = !y", :condition)
    assert_empty changed("while true do run end", :condition)
  end

  def test_comparisons_and_ends_are_swapped
    assert_equal ["a <= b"], changed("a < b", :swap)
    assert_equal ["a >= b"], changed("a > b", :swap)
    assert_equal ["a != b"], changed("a == b", :swap)
    assert_equal ["a.last"], changed("a.first", :swap)
    assert_equal ["a.pop"], changed("a.shift", :swap)
    assert_empty changed("@queue.pop", :swap), "Thread::Queue#shift is the same"
    assert_empty changed("first", :swap), "a method of its own is no collection's"
  end

  def test_logic_and_integers
    assert_equal ["a || b"], changed("a && b", :logic)
    assert_equal ["a or b"], changed("a and b", :logic)
    assert_equal ["f(3)", "f(0)"], changed("f(2)", :integer)
    assert_equal ["f(1)"], changed("f(0)", :integer)
  end

  def test_a_setting_is_no_hole
    assert_empty changed("LIMIT = 30", :integer)
    assert_equal ["FIRST = 2", "FIRST = 0"], changed("FIRST = 1", :integer)
  end

  def test_statements_are_dropped_also_where_errors_are_handled
    source = "def m\n  go\n  @a = 1\n  b = 2\nensure\n  stop\nend"
    assert_equal ["def m\n  nil\n  @a = 1\n  b = 2\nensure\n  stop\nend",
      "def m\n  go\n  nil\n  b = 2\nensure\n  stop\nend"], changed(source, :statement)
    assert_equal [source.sub("stop", "nil")], changed(source, :ensure)
    assert_equal ["begin; a; rescue E; nil; end"], changed("begin; a; rescue E; b; end", :rescue)
  end

  def test_results_predicates_and_guards
    assert_equal ["a = nil"], changed("a = b.c(1)", :result)
    assert_equal ["f(true)", "f(false)"], changed("f(a.b?)", :predicate)
    assert_equal ["def m\n  nil\n  go\nend"], changed("def m\n  return 1 if x\n  go\nend", :guard)
  end

  def test_declarations_texts_and_log_lines_are_left_alone
    assert_empty changed("require \"x\"\nclass A\n  attr_reader :b\n  private\n  include C\nend")
    assert_empty changed("def m\n  @log.warn(\"x\#{1 if y}\")\nend")
    assert_empty changed("x = \"a \#{b(c)}\"", :statement)
    raising = "def m\n  raise E, text(1)\n  1\nend"
    assert_equal ["def m\n  nil\n  1\nend"], changed(raising, :statement)
    assert_empty changed("def m = raise(E, text(1) && x)", :integer)
    assert_equal ["private def m\n  nil\nend"], changed("private def m\n  go\nend", :statement)
  end

  def test_a_mutant_knows_its_place
    source = "# é\ndef m\n  a < b\nend\n"
    mutants = Mutate::Operators.mutants(source, "lib/raffia/jobs/stores/x.rb")
    mutant = mutants.find { |one| one.operator == :swap }
    assert_equal ["jobs", "m", 3], [mutant.component, mutant.scope, mutant.line]
    assert_equal ["a < b", "a <= b"], mutant.lines(source)
    assert_equal "lib/raffia/jobs/stores/x.rb:3 swap\n  - a < b\n  + a <= b", mutant.diff(source)
  end

  def test_a_seed_draws_the_same_valid_mutants
    files = Mutate::Sources.select(["task"])
    drawn = Mutate::Draw.new(files, 5).take(10)
    assert_equal drawn, Mutate::Draw.new(files, 5).take(10)
    refute_equal drawn, Mutate::Draw.new(files, 6).take(10)
    assert_equal 10, drawn.map { |mutant| [mutant.file, mutant.line] }.uniq.size
    assert_raises(Mutate::Error) { Mutate::Sources.select(["nothing"]) }
  end

  def test_a_line_that_is_named_gives_all_of_its_mutants
    one = Mutate::Draw.new(Mutate::Sources.select(["task/waiter.rb"]), 1).take(1).first
    place = "#{one.file}:#{one.line}"
    named = Mutate::Draw.new(Mutate::Sources.select([place]), 1).take(100)
    assert_includes named, one
    assert_equal [[one.file, one.line]], named.map { |mutant| [mutant.file, mutant.line] }.uniq
  end
end
