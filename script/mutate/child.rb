# frozen_string_literal: true

# Runs the test files that are named and ends at the first failure, whose name it writes into the
# file RAFFIA_FAILURE. The parent starts it, with lib/ and test/ of a private copy on the load path.
require "test_helper"
require "json"

# Tells the first failure, then ends the run as Ctrl-C does, so that what is left is cleaned up.
class FirstFailure < Minitest::AbstractReporter
  def initialize(path)
    super()
    @path = path
    @passed = true
  end

  def record(result)
    return if result.passed? || result.skipped?

    @passed = false
    File.write(@path, JSON.generate(test: "#{result.klass}##{result.name}",
      why: result.failure.message.to_s.scrub.lines.first(3).join))
    raise Interrupt
  end

  def passed? = @passed
end

Minitest.extensions << "first_failure"
Minitest.define_singleton_method(:plugin_first_failure_init) do |_options|
  reporter << FirstFailure.new(ENV.fetch("RAFFIA_FAILURE"))
end

require File.expand_path(ARGV.shift) until ARGV.empty? || ARGV.first.start_with?("-")
