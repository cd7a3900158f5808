# frozen_string_literal: true

require "json"

module TestSupport
  # Writes what a run of tests came to, for script/test_run: JSON, a line each. Failures and skips
  # are written when they happen; the totals, with the time that each file took, come last. A
  # process that ends early leaves no totals.
  class Results < Minitest::AbstractReporter
    # @param classes [Array<Class>] tests
    # @param file [String] the test file that defines them, also through a helper
    # @return [void]
    def self.file_of(classes, file)
      classes.each { |test| test.define_singleton_method(:test_file) { file } }
    end

    # @param path [String] appended to
    def initialize(path)
      super()
      @path = path
      @pid = ::Process.pid
      @counts = Hash.new(0)
      @seconds = Hash.new(0.0)
    end

    # @param result [Minitest::Result]
    def record(result)
      file = Object.const_get(result.klass).test_file
      @seconds[file] += result.time
      @counts["assertions"] += result.assertions
      @counts[kind(result)] += 1
      note(kind(result), result, file) unless result.passed?
    end

    def report
      return unless @pid == ::Process.pid

      times = ::Process.times
      cpu = times.utime + times.stime + times.cutime + times.cstime
      write("totals", counts: @counts,
        seconds: @seconds.transform_values { |value| value.round(2) }, cpu: cpu.round(2))
    end

    private

    def kind(result)
      return "passed" if result.passed?

      result.skipped? ? "skipped" : "failed"
    end

    def note(kind, result, file)
      write(kind, file:, name: "#{result.klass}##{result.name}",
        reason: result.failure.message.lines.first.to_s.strip)
    end

    def write(kind, **fields)
      File.write(@path, "#{JSON.generate({kind:, **fields})}\n", mode: "a")
    end
  end
end

path = ENV.delete("RAFFIA_RESULTS")
Minitest.extensions << "raffia_results"
Minitest.define_singleton_method(:plugin_raffia_results_init) do |_options|
  reporter << TestSupport::Results.new(path)
end
