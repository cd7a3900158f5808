# frozen_string_literal: true

# Runs the test files and folders that are named, or all of test/, in this process; every other
# argument is minitest's. `bin/test` and `rake test` use it; it wants lib/ and test/ on the load
# path.
require_relative "test_run/arguments"

files, options = TestRun::Arguments.parse(ARGV)
ARGV.replace(options)

require "test_helper"
files.each do |file|
  known = Minitest::Runnable.runnables.dup
  require file
  if defined?(TestSupport::Results)
    TestSupport::Results.file_of(Minitest::Runnable.runnables - known, file)
  end
end
