# frozen_string_literal: true

require "tmpdir"
require "test_helper"
require_relative "../../../script/mutate"

# How `rake mutate` finds the tests that run a line.
class MutateTouchedTest < Raffia::TestCase
  FILE = "lib/raffia/base/version.rb"
  TEST = "test/unit/mutate/touched_test.rb"

  def setup
    @folder = Dir.mktmpdir("touched")
    @touched = Mutate::Touched.new(@folder)
  end

  def teardown = FileUtils.rm_rf(@folder)

  def names(line, scope = "call", touched = @touched)
    mutant = Mutate::Mutant.new(file: FILE, line: line, operator: :swap, range: 0...1,
      replacement: "", scope: scope)
    touched.tests(mutant, [TEST]).map(&:name)
  end

  def test_a_line_of_a_method_has_the_tests_that_run_it
    @touched.write(TEST, {"A#one" => [0.5, {FILE => [1, 3]}], "A#two" => [1, {FILE => [1]}],
                          "A#three" => [1, {"lib/raffia.rb" => [1]}]})
    assert_equal %w[A#one A#two], names(1)
    assert_equal %w[A#one A#two], names(3), "those of the line first"
    assert_equal %w[A#one A#two], names(4), "the statement began above"
    assert_equal %w[A#one A#two], names(3, nil)
  end

  def test_a_line_that_many_run_has_no_others
    tests = Array.new(6) { |n| ["A##{n}", [1, {FILE => [1, *(3 if n.positive?)]}]] }
    @touched.write(TEST, tests.to_h)
    assert_equal %w[A#0 A#1 A#2 A#3 A#4 A#5], names(1)
    assert_equal %w[A#1 A#2 A#3 A#4 A#5], names(3)
    assert_equal %w[A#1 A#2 A#3 A#4 A#5], names(4), "the statement began above"
  end

  def test_a_line_that_runs_as_files_are_loaded_has_the_tests_of_the_file
    tests = Array.new(6) { |n| ["A##{n}", [1, {FILE => [1, *(3 if n.positive?)]}]] }
    @touched.write(TEST, tests.to_h, {FILE => [3]})
    assert_equal %w[A#1 A#2 A#3 A#4 A#5 A#0], names(3)
    assert_equal %w[A#0 A#1 A#2 A#3 A#4 A#5], names(1)
  end

  def test_the_share_of_the_file_is_told
    @touched.write(TEST, {"A#one" => [0.5, {FILE => [1], "lib/raffia.rb" => [1, 2, 3]}]})
    mutant = Mutate::Mutant.new(file: FILE, line: 1, operator: :swap, range: 0...1,
      replacement: "", scope: "call")
    assert_equal [[TEST, 0.5, 0.25]],
      @touched.tests(mutant, [TEST]).map { |test| [test.file, test.seconds, test.focus] }
  end

  def test_a_line_that_moved_is_known_by_its_text
    text = Mutate::Sources.read(FILE)
    tests = Array.new(5) { |n| ["A##{n}", [1, {FILE => [7]}]] }
    @touched.write(TEST, {"A#other" => [1, {FILE => [5]}], **tests.to_h})
    old = Dir.glob("#{@folder}/*.rb")
    assert_equal [text], old.map { |path| File.read(path) }
    File.write(old.first, "# more\n# and more\n#{text}")
    touched = Mutate::Touched.new(@folder)
    assert_equal tests.map(&:first), names(5, "call", touched)
  end

  def test_a_record_is_of_one_text_of_the_test_file
    refute @touched.recorded?(TEST)
    @touched.write(TEST, {})
    assert @touched.recorded?(TEST)
    Dir.mktmpdir do |root|
      FileUtils.mkdir_p(File.join(root, File.dirname(TEST)))
      File.write(File.join(root, TEST), "another")
      refute Mutate::Touched.new(@folder, root).recorded?(TEST)
    end
    assert_empty @touched.tests(Mutate::Mutant.new(file: FILE, line: 1, operator: :swap,
      range: 0...1, replacement: "", scope: nil), ["test/none_test.rb"])
  end
end
