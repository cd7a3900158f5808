# frozen_string_literal: true

require_relative "conformance_case"

# The record that a child process writes about its tests.
class ConformanceRecordTest < Raffia::TestCase
  def record(*lines)
    Dir.mktmpdir do |dir|
      path = File.join(dir, "record")
      File.write(path, lines.join("\n"))
      yield Conformance::Record.new(path)
    end
  end

  def test_tests_have_their_status_and_message
    record('begin "a"', %(end "a"\tpass\t""), 'begin "b\tc"', %(end "b\\tc"\tfail\t"no\\nway"),
      "done") do |record|
      assert_equal({"a" => ["pass", ""], "b\tc" => ["fail", "no\nway"]},
        record.results.transform_values(&:to_a))
      assert_predicate record, :done?
      assert_nil record.running
    end
  end

  def test_a_test_that_began_and_has_no_end_is_the_one_at_work
    record('begin "a"', %(end "a"\tskip\t""), 'begin "b"') do |record|
      assert_equal "b", record.running
      assert_nil record.results["b"].status
      refute_predicate record, :done?
    end
  end

  def test_a_line_that_was_left_unfinished_is_none
    record('begin "a"', %(end "a"\tpa)) { |record| assert_equal "a", record.running }
    record('begin "a"', %(end "a"\tfail\t"beca)) { |record| assert_equal "a", record.running }
  end

  def test_nothing_is_known_before_the_first_line
    record { |record|
      assert_equal [{}, nil, false], [record.results, record.running, record.done?]
    }
  end
end
