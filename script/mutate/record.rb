# frozen_string_literal: true

# Runs the test files that are named and records what each test touches (recorder.rb, which RUBYOPT
# has loaded before this).
require "test_helper"

# Each test between two marks.
module RecordedTest
  def run = Mutate::Recorder.test("#{self.class}##{name}") { super }
end
Raffia::TestCase.prepend(RecordedTest)

ARGV.each { |file| require File.expand_path(file) }
ARGV.clear
