# frozen_string_literal: true

require "coverage"

module Mutate
  # Writes which lines of lib/ each test runs, also in the processes that it starts. RUBYOPT loads
  # it into all of them, before anything of lib/. Lines that other Ractors run are not counted by
  # Ruby, and those of a process that is killed are lost.
  module Recorder
    LIB = File.expand_path("../../lib", __dir__)
    FOLDER = ENV.fetch("RAFFIA_TOUCHED")
    NAME = "RAFFIA_TOUCHED_TEST"

    # Each process but the one of the tests is recorded as a whole.
    module Endings
      def exit!(...)
        Recorder.ended
        super
      end
    end

    module_function

    def install
      Coverage.start(lines: true)
      @began = now
      @root = ::Process.pid if ENV[NAME].nil?
      at_exit { ended }
      [::Process.singleton_class, Kernel.singleton_class, Kernel].each { _1.prepend(Endings) }
    end

    # A test of the process that runs the tests.
    # @param name [String] Class#name
    def test(name)
      ENV[NAME] = name
      write("", @began) # what was loaded before
      began = now
      yield
    ensure
      write(name, began)
    end

    # Records the lines that a process of a test has run until now.
    def ended = write(ENV.fetch(NAME, ""), @began, child: ::Process.pid != @root)

    def write(test, began, child: false)
      lines = touched
      return if lines.empty?

      entry = {test: test, began: began, ended: now, child: child, lines: lines}
      File.binwrite(File.join(FOLDER, "#{::Process.pid}.bin"), Marshal.dump(entry), mode: "a")
    rescue SystemCallError
      nil # it ended after the record was read
    end

    # @return [Hash{String => Array<Integer>}] lines by path below the root
    def touched
      Coverage.result(stop: false, clear: true).each_with_object({}) do |(file, counts), found|
        next unless file.start_with?(LIB)

        lines = counts[:lines].each_with_index.filter_map { |count, i| i + 1 if count&.positive? }
        found["lib#{file.delete_prefix(LIB)}"] = lines if lines.any?
      end
    end

    def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
  end
end

Mutate::Recorder.install
