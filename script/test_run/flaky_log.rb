# frozen_string_literal: true

require "fileutils"

module TestRun
  # Tests that failed beside others and passed alone and under load: kept in the user's cache and
  # shown by the next run, because each of them is a fault that is still to be found.
  module FlakyLog
    LINES = 100

    module_function

    # @return [String]
    def path
      File.join(ENV.fetch("XDG_CACHE_HOME") { File.join(Dir.home, ".cache") }, "raffia",
        "flaky-tests.txt")
    end

    # @param names [Array<String>] Class#test
    # @return [void]
    def add(names)
      FileUtils.mkdir_p(File.dirname(path))
      added = names.map { |name| "#{Time.now.utc.strftime("%F %R")}\t#{RUBY_VERSION}\t#{name}" }
      File.write(path, [*lines, *added].last(LINES).join("\n") + "\n")
    rescue SystemCallError => error
      warn "bin/test: cannot write #{path}: #{error.message}"
    end

    # @return [Array<String>] one for each test: how often, its name, when it was the last time
    def summary
      lines.map { |line| line.split("\t") }.group_by(&:last).map do |name, seen|
        "#{seen.size}x #{name} (Ruby #{seen.last[1]}, #{seen.last[0]})"
      end
    end

    def lines = File.exist?(path) ? File.readlines(path, chomp: true) : []
  end
end
