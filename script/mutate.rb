# frozen_string_literal: true

# Mutation tests: changes one place of lib/ at a time and asks whether a test notices. A mutant that
# no test notices shows a hole in the tests, or is equivalent to what it replaced. `rake mutate`
# runs it; rakelib/mutate.rake says how.
module Mutate
  ROOT = File.expand_path("..", __dir__)

  # A mistake of the user: an unknown folder, a number that is none. Shown without a backtrace.
  class Error < StandardError; end
end

%w[
  mutant operators sources draw test_index touched nearest workspace jobs attempt recording judge
  equivalents campaign report command
].each { |file| require_relative "mutate/#{file}" }

exit(Mutate::Command.new(ARGV, ENV).call) if $PROGRAM_NAME == __FILE__
