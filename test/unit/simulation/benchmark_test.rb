# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "rbconfig"

# bench/simulation.rb, small: a bug of two threads.
class SimulationBenchmarkTest < Raffia::TestCase
  ROOT = File.expand_path("../../..", __dir__)

  def test_it_finds_a_lost_update_and_passes_its_fixed_version
    output, errors, status = Open3.capture3(RbConfig.ruby, "-W0", "-I", "#{ROOT}/lib",
      "#{ROOT}/bench/simulation.rb", "--only", "lost_update", "--seeds", "2", "--runs", "2000",
      "--fixed", "50", "--stress", "20", "--json")
    assert_predicate status, :success?, errors
    search, stress = JSON.parse(output).fetch("models").fetch(0).values_at("search", "stress")
    assert_equal 2, search.fetch("found").size
    assert_equal 50, search.fetch("fixed_runs")
    assert_nil search.fetch("fixed_error")
    assert_equal 20, stress.fetch("runs")
  end

  def test_it_knows_no_other_bug
    _, errors, status = Open3.capture3(RbConfig.ruby, "-I", "#{ROOT}/lib",
      "#{ROOT}/bench/simulation.rb", "--only", "no_such_bug")
    refute_predicate status, :success?
    assert_match(/there is no bug no_such_bug/, errors)
  end
end
