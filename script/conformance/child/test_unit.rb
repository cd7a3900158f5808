# frozen_string_literal: true

require "test/unit"
require_relative "adapter"

module Conformance
  # The gem test-unit: a test is a TestCase#run with a result that counts.
  class TestUnitAdapter < Adapter
    def call
      hook
      yield
      ARGV.replace(@plan["options"])
      @plan["files"].each { |file| require File.expand_path(file) }
    end

    # @return [Array] status, message, nothing
    def run(result)
      before = counts(result)
      @mode.call { yield }
      bad, left_out = counts(result).zip(before).map { |now, then_| now > then_ }
      status = if bad then "fail"
      else
        left_out ? "skip" : "pass"
      end
      [status, (bad || left_out) ? result.faults.last&.message : nil, nil]
    end

    private

    def counts(result)
      [result.failure_count + result.error_count, result.pending_count + result.omission_count]
    end

    def hook
      adapter = self
      recorder = @recorder
      ::Test::Unit::TestCase.prepend(Module.new do
        define_method(:run) do |result, **options, &block|
          original = -> { super(result, **options, &block) }
          recorder.test("#{self.class}##{method_name}") { adapter.run(result, &original) }
        end
      end)
    end
  end
end
