# frozen_string_literal: true

require "json"
require "open3"
require "rbconfig"
require "test_helper"

# `rake mutate` on two mutants, as it is used.
class MutateTest < Raffia::TestCase
  SCRIPT = File.expand_path("../../script/mutate.rb", __dir__)

  def mutate(*folders, **variables)
    env = {"SEED" => "1", "MUTANTS" => "1", "JOBS" => "1", "SECONDS" => "0", "JSON" => "1"}
    Open3.capture3(env.merge(variables.transform_keys(&:to_s)), RbConfig.ruby, SCRIPT, *folders)
  end

  def test_a_mutant_is_judged_in_a_copy
    file = File.expand_path("../../lib/raffia/task/waiter.rb", __dir__)
    before = File.read(file)
    out, log, status = mutate("task/waiter.rb")
    assert_predicate status, :success?, log
    report = JSON.parse(out)
    assert_equal "lib/raffia/task/waiter.rb", report.dig("mutants", 0, "file")
    assert_includes %w[killed survived timeout], report.dig("mutants", 0, "verdict")
    assert_equal %w[task all], report.fetch("components").map { |row| row["component"] }
    assert_equal before, File.read(file)
  end

  def test_mistakes_are_told_in_one_line
    _, log, status = mutate("nothing")
    assert_equal "mutate: there is no lib/raffia/nothing\n", log.lines.last
    assert_equal 2, status.exitstatus
    _, log, = mutate("task", MUTANTS: "many")
    assert_includes log, "MUTANTS=many is not a number"
  end
end
