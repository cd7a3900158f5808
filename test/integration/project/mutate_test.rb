# frozen_string_literal: true

require "json"
require "open3"
require "rbconfig"
require "test_helper"
require_relative "../../../script/mutate"

# `rake mutate` on two mutants, as it is used.
class MutateTest < Raffia::TestCase
  SCRIPT = File.expand_path("../../../script/mutate.rb", __dir__)

  def mutate(*folders, **variables)
    env = {"SEED" => "1", "MUTANTS" => "1", "JOBS" => "1", "SECONDS" => "0", "JSON" => "1"}
    Open3.capture3(env.merge(variables.transform_keys(&:to_s)), RbConfig.ruby, SCRIPT, *folders)
  end

  def test_a_mutant_is_judged_in_a_copy
    file = File.expand_path("../../../lib/raffia/task/waiter.rb", __dir__)
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

  def test_what_tests_and_their_processes_run_is_recorded
    Dir.mktmpdir do |folder|
      test = "test/unit/base/fork_test.rb"
      touched = Mutate::Touched.new(folder)
      recording = Mutate::Recording.new(1, touched, [test])
      assert_equal [test], recording.missing
      recording.call { |file| assert_equal test, file }
      assert_empty recording.missing
      file = "lib/raffia/base/fork.rb"
      mutants = Mutate::Operators.mutants(Mutate::Sources.read(file), file)
      in_children = mutants.find { |mutant| mutant.scope == "run_in_child" }
      assert_includes touched.tests(in_children, [test]).map(&:name),
        "ForkTest#test_runs_in_the_child_in_order_and_not_in_the_parent"
    end
  end

  def test_ctrl_c_ends_it_in_one_line
    Dir.mktmpdir do |folder|
      env = {"SEED" => "1", "MUTANTS" => "3", "JOBS" => "1", "TMPDIR" => folder}
      output = IO.popen(env, [RbConfig.ruby, SCRIPT, "task"], err: %i[child out])
      wait_until { Dir.glob("#{folder}/mutate*/c/attempt.log").any? }
      Process.kill(:INT, output.pid)
      assert_equal "mutate: stopped", output.readlines(chomp: true).last
      output.close
      assert_equal 130, $?.exitstatus
      assert_empty Dir.children(folder)
    end
  end
end
