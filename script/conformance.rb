# frozen_string_literal: true

# Runs the test suites of other people's libraries plain, under Raffia and under async, and says
# what fails under Raffia alone. `bin/conformance` and rakelib/conformance.rake use it; nothing of
# what it fetches is part of this repository.
#
# Only Ruby's own libraries: what a suite needs comes as gems of its own, in a process of its own.
module Conformance
  ROOT = File.expand_path("..", __dir__)

  # Errors that the user can correct, such as an unknown name. They are shown without a backtrace.
  class Error < StandardError; end
end

%w[
  cache suite catalogue source gems services plan record run known comparison campaign report page
  apps command
].each { |file| require_relative "conformance/#{file}" }

exit(Conformance::Command.new(ARGV).call) if $PROGRAM_NAME == __FILE__
