# frozen_string_literal: true

require "rspec/core"
require_relative "adapter"

module Conformance
  # RSpec 3: a test is an example.
  class RSpecAdapter < Adapter
    def call
      hook
      yield
      arguments = ["--order", "defined", "--no-color", "--format", "progress", *@plan["options"],
        *@plan["files"]]
      run = -> { ::RSpec::Core::Runner.run(arguments) }
      status = (@plan["wrap"] == "suite") ? @mode.call(&run) : run.call
      # Files that did not load are no suite that came to its end.
      exit!(status) if ::RSpec.world.example_count.zero?
      exit(status)
    end

    # @return [Array] status, message, whether it passed
    def run(example)
      passed = @mode.call { yield }
      result = example.execution_result
      status = {passed: "pass", pending: "skip"}.fetch(result.status, "fail")
      [status, result.exception&.message, passed]
    end

    private

    # A file that did not load, or a hook around all examples: its examples are not there, which
    # must not look like nothing. It is a test that has failed.
    def errors_outside_of_examples
      recorder = @recorder
      ::RSpec::Core::Reporter.prepend(Module.new do
        define_method(:notify_non_example_exception) do |exception, context|
          recorder.test(context) { ["fail", exception.message, nil] }
          super(exception, context)
        end
      end)
    end

    def hook
      adapter = self
      recorder = @recorder
      ::RSpec::Core::Example.prepend(Module.new do
        define_method(:run) do |instance, reporter|
          original = -> { super(instance, reporter) }
          recorder.test(full_description) {
            adapter.run(self, &original)
          }.then { |passed| passed.nil? || passed }
        end
      end)
      errors_outside_of_examples
    end
  end
end
