# frozen_string_literal: true

require "test/unit"
require_relative "adapter"

module Conformance
  # Ruby's own runner, tool/lib/test/unit.rb of its source package: a test is a TestCase#run that
  # returns its letter.
  class CoreAdapter < Adapter
    def call
      hook
      yield
      ARGV.replace(["--ruby=#{RbConfig.ruby}", "--test-order=sorted", *@plan["options"],
        *@plan["files"]])
      load File.expand_path("test/runner.rb")
    end

    # @return [Array] status, message, the letter
    def run(runner)
      before = runner.report.size
      letter = @mode.call { yield }
      status = {"." => "pass", "S" => "skip"}.fetch(letter[0], "fail")
      [status, runner.report[before..].join("\n"), letter]
    end

    private

    def hook
      adapter = self
      recorder = @recorder
      ::Test::Unit::TestCase.prepend(Module.new do
        define_method(:run) do |runner|
          original = -> { super(runner) }
          recorder.test("#{self.class}##{__name__}") { adapter.run(runner, &original) } || "."
        end
      end)
    end
  end
end
