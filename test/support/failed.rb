# frozen_string_literal: true

module TestSupport
  # Writes down which tests failed, so that script/shards.rb can run them again. A line for each: the file that has the class, a tab, Class#test.
  # And a last one when all have run: who was ended before that says nothing of the rest.
  class Failed < Minitest::AbstractReporter
    # @param path [String] appended to
    def initialize(path)
      super()
      @path = path
    end

    # @param result [Minitest::Result]
    def record(result)
      return if result.passed? || result.skipped?

      file, = Object.const_source_location(result.klass)
      note("#{file}\t#{result.klass}##{result.name}")
    end

    def report = note("end")

    private

    def note(line) = File.write(@path, "#{line}\n", mode: "a")
  end
end

path = ENV.delete("RAFFIA_FAILED")
Minitest.extensions << "raffia_failed"
Minitest.define_singleton_method(:plugin_raffia_failed_init) { |_options| reporter << TestSupport::Failed.new(path) }
