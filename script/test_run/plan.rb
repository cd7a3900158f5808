# frozen_string_literal: true

require_relative "batch"

module TestRun
  # Divides the test files among batches, longest first.
  module Plan
    # Seconds that each file took when test/times.tsv was written (rake test:times).
    TIMES = File.join(ROOT, "test/times.tsv")
    # A batch takes files until it has so many seconds: starting a process costs about one.
    SECONDS = 15.0
    # Seconds of a file that was not measured.
    UNKNOWN = 2.0

    module_function

    # @param files [Array<String>] absolute paths
    # @param arguments [Array<String>] options of minitest
    # @return [Array<Batch>]
    def batches(files, arguments)
      seconds = files.to_h { |file| [file, times.fetch(relative(file), UNKNOWN)] }
      sized = groups(files).flat_map { |name, members| split(name, members.sort, seconds) }
      sized.sort_by { |_, members| -members.sum { |file| seconds[file] } }
        .map { |name, members| Batch.new(name, members, arguments) }
    end

    # @return [Hash{String => Float}]
    def times
      return {} unless File.exist?(TIMES)

      File.readlines(TIMES, chomp: true).to_h { |line| line.split("\t") }.transform_values(&:to_f)
    end

    # @param seconds [Hash{String => Float}] by file
    # @return [void]
    def write(seconds)
      known = seconds.select { |file, _| file.start_with?("#{ROOT}/test/") }
      return if known.empty?

      lines = known.map { |file, value| "#{relative(file)}\t#{value.round(1)}" }
      File.write(TIMES, lines.sort.join("\n") + "\n")
    end

    # @return [String] a path from the root, as messages show it
    def relative(file) = file.delete_prefix("#{ROOT}/")

    # Files of one subject share servers and helpers: test/contract/jobs/redis_test.rb is of
    # "contract/jobs", test/stress/server_load_test.rb of "stress/server".
    def groups(files)
      files.group_by do |file|
        _, kind, *rest = relative(file).split("/")
        subject = (rest.size > 1) ? rest.first : rest.first&.slice(/\A[^_.]+/)
        [kind, subject].compact.join("/")
      end
    end

    def split(name, files, seconds)
      parts = [[]]
      files.each do |file|
        full = parts.last.any? &&
          parts.last.sum { |other| seconds[other] } + seconds[file] > SECONDS
        full ? parts << [file] : parts.last << file
      end
      parts.map { |members| [title(name, members), members] }
    end

    def title(name, members)
      return "#{name}: #{File.basename(members.first, "_test.rb")}" if members.one?

      "#{name}: #{File.basename(members.first, "_test.rb")} to " \
        "#{File.basename(members.last, "_test.rb")}"
    end
  end
end
