# frozen_string_literal: true

module Conformance
  # The parent of the adapters of test frameworks: each runs the tests of a plan in a mode, and
  # tells the recorder of them.
  class Adapter
    # @param recorder [Recorder]
    # @param mode [Mode]
    # @param plan [Hash] options, files and how they are wrapped
    def initialize(recorder, mode, plan)
      @recorder = recorder
      @mode = mode
      @plan = plan
    end

    private

    # @param result [#failures] of Minitest or Megatest
    # @return [Array] status, message, the result
    def verdict(result, passed:)
      status = if result.skipped? then "skip"
      else
        passed ? "pass" : "fail"
      end
      [status, result.failures.map { |failure| failure.message.to_s }.join("\n"), result]
    end
  end
end
