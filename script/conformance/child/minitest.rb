# frozen_string_literal: true

require "minitest"
require_relative "adapter"

module Conformance
  # Minitest 5: a test is a call of Minitest.run_one_method.
  class MinitestAdapter < Adapter
    def call
      hook
      yield
      ARGV.replace(["--seed", "1", *@plan["options"]])
      if @plan["wrap"] == "suite" then exit(@mode.call { load_and_run })
      else
        ::Minitest.autorun
        load_files
      end
    end

    # @return [Array] status, message, Minitest's result
    def run(klass, name)
      result = @mode.call { yield }
      verdict(result, passed: result.passed?)
    end

    private

    def hook
      adapter = self
      recorder = @recorder
      # In one thread, in one order.
      ::Minitest::Test.define_singleton_method(:parallelize_me!) { nil }
      ::Minitest::Test.define_singleton_method(:test_order) { :sorted }
      around = Module.new do
        define_method(:run_one_method) do |klass, name|
          original = -> { super(klass, name) }
          recorder.test("#{klass}##{name}") { adapter.run(klass, name, &original) } ||
            ::Minitest::Result.from(klass.new(name))
        end
      end
      ::Minitest.singleton_class.prepend(around)
    end

    def load_files = @plan["files"].each { |file| require File.expand_path(file) }

    # All in one fiber: what the files take as they are loaded belongs to those who run.
    def load_and_run
      ::Minitest.define_singleton_method(:autorun) { nil }
      load_files
      ::Minitest.run(ARGV)
    end
  end
end
