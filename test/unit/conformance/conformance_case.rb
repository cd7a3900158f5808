# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require_relative "../../../script/conformance"

# Suites and outcomes that are made up, for the tests of `bin/conformance`.
module ConformanceCase
  ENTRY = {"framework" => "minitest", "tests" => {"gem" => "thing", "version" => "1.2.3"},
           "files" => ["test/*_test.rb"]}.freeze

  def suite(name = "thing", **entry)
    Conformance::Suite.new(name, ENTRY.merge(entry.transform_keys(&:to_s)))
  end

  # @param results [Hash{String => String}] status by name
  def outcome(mode, results, notes = [])
    results = results.transform_values do |status|
      Conformance::Record::Result.new(status, "because")
    end
    Conformance::Run::Outcome.new(mode, results, notes, 0.1)
  end

  def compare(runs, known: [], suite: self.suite, **options)
    outcomes = runs.to_h { |mode, results| [mode.to_s, outcome(mode.to_s, results)] }
    known = Conformance::Known.new(suite.name => known).for(suite.name)
    Conformance::Comparison.new(suite, outcomes, known: known, **options)
  end
end
