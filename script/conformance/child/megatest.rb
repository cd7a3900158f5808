# frozen_string_literal: true

require "megatest"
require "megatest/cli"
require_relative "adapter"

module Conformance
  # Megatest: a test is a call of its runner, in one process.
  class MegatestAdapter < Adapter
    def call
      hook
      yield
      arguments = ["run", "--seed", "1", "-j", "1", *@plan["options"], *@plan["files"]]
      exit(::Megatest::CLI.new("megatest", $stdout, $stderr, arguments, ENV).run)
    end

    # @return [Array] status, message, Megatest's result
    def run
      result = @mode.call { yield }
      verdict(result, passed: result.success?)
    end

    private

    def hook
      adapter = self
      recorder = @recorder
      ::Megatest::Runner.prepend(Module.new do
        define_method(:execute) do |test_case|
          original = -> { super(test_case) }
          recorder.test(test_case.id) { adapter.run(&original) } ||
            ::Megatest::TestCaseResult.new(test_case)
        end
      end)
    end
  end
end
