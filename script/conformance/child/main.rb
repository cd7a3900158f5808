# frozen_string_literal: true

# A process that runs tests of a suite: `ruby main.rb PLAN`. It loads nothing that a suite could
# want in another version.
require "bundler/setup" if ENV["BUNDLE_GEMFILE"]
require_relative "recorder"
require_relative "mode"

module Conformance
  # Sets up what the plan says, and loads the suite.
  class Child
    FRAMEWORKS = {"minitest" => :Minitest, "rspec" => :RSpec, "test-unit" => :TestUnit,
                  "megatest" => :Megatest, "core" => :Core}.freeze

    # A library that is called at once is there with every method.
    STUBS = {"simplecov" => <<~RUBY}.freeze
      module SimpleCov
        def self.method_missing(*) = self
        def self.respond_to_missing?(*) = true
        def self.const_missing(_) = self
      end
    RUBY

    def initialize(plan)
      @plan = plan
    end

    def call
      trap("USR2") { dump }
      stub
      $LOAD_PATH.unshift(*@plan["load"])
      $PROGRAM_NAME = @plan["files"].first
      recorder = Recorder.new(@plan)
      # Before the framework is there: what is registered first runs last.
      at_exit { recorder.done if $!.nil? || $!.is_a?(SystemExit) }
      mode = Mode.new(@plan["mode"], @plan["layer"])
      framework = @plan["framework"]
      require_relative framework.tr("-", "_")
      adapter = Conformance.const_get("#{FRAMEWORKS.fetch(framework)}Adapter")
      adapter.new(recorder, mode, @plan).call {
        TOPLEVEL_BINDING.eval(@plan["before"], "before", 1)
      } # standard:disable Security/Eval
    end

    private

    # Libraries that only watch the tests, such as those of coverage, are there and do nothing.
    def stub
      return if @plan["stubs"].empty?

      folder = "#{@plan["record"]}.stubs"
      @plan["stubs"].each do |feature|
        path = File.join(folder, "#{feature}.rb")
        Dir.mkdir(folder) unless Dir.exist?(folder)
        dir = File.dirname(path)
        Dir.mkdir(dir) unless Dir.exist?(dir)
        File.write(path, STUBS.fetch(feature, ""))
      end
      $LOAD_PATH.unshift(folder)
    end

    # Prints where it hangs. Not by `warn`, which is off.
    def dump
      fibers = ObjectSpace.each_object(Fiber).select(&:alive?)
      [*Thread.list, *fibers].each do |one|
        $stderr.write("== #{one.inspect}\n#{(one.backtrace || []).first(40).join("\n")}\n")
      end
    rescue => error
      $stderr.write("no backtraces: #{error.message}\n")
    end
  end
end

# standard:disable Security/MarshalLoad
Conformance::Child.new(Marshal.load(File.binread(ARGV.shift))).call
# standard:enable Security/MarshalLoad
