# frozen_string_literal: true

require "digest"
require "fileutils"

module Mutate
  # Which tests run which lines of lib/, as Recording has seen it. A record of a test file stays
  # useful while lib/ changes: lines are found again by their text.
  class Touched
    # @!attribute file [String] test file
    # @!attribute name [String] Class#name
    # @!attribute focus [Float] the mutant's file's share of all lines that the test runs
    Test = Data.define(:file, :name, :seconds, :focus)
    FEW = 5
    CACHE = ENV["XDG_CACHE_HOME"] || File.expand_path("~/.cache")
    FOLDER = File.join(CACHE, "raffia", "mutate")

    # @param folder [String] of the records
    # @param root [String] the folder with test/ in it
    def initialize(folder = FOLDER, root = ROOT)
      @folder = folder
      @root = root
    end

    # @param tests [Hash{String => Array(Float, Hash)}] seconds and lines by file, by Class#name
    # @param loaded [Hash{String => Array<Integer>}] lines by file that ran before the first test
    def write(test_file, tests, loaded = {})
      FileUtils.mkdir_p(@folder)
      files = [*tests.each_value.flat_map { |_, lines| lines.keys }, *loaded.keys].uniq
      sources = files.to_h { |file| [file, keep(Sources.read(file))] }
      masked = tests.transform_values do |seconds, lines|
        [seconds, lines.transform_values { |numbers| mask(numbers) }]
      end
      record = {digest: digest(test_file), sources: sources, tests: masked,
                loaded: loaded.transform_values { |numbers| mask(numbers) }}
      File.binwrite(path(test_file), Marshal.dump(record))
    end

    # @return [Boolean] whether the test file is as it was when it was recorded
    def recorded?(test_file)
      File.exist?(path(test_file)) && record(test_file)[:digest] == digest(test_file)
    end

    # @param test_files [Array<String>]
    # @return [Array<Test>] those that run the mutant's line. When they are few, and when it runs as
    #   files are loaded, those that run another line of the file, too
    def tests(mutant, test_files)
      files = test_files.select { |file| File.exist?(path(file)) }
      found = files.flat_map { |file| of_file(mutant, file) { |record| line_of(mutant, record) } }
      return found if found.size >= FEW && files.none? { |file| loaded?(mutant, record(file)) }

      all = files.flat_map { |file| of_file(mutant, file) { -1 } }
      found + all.reject { |test| found.any? { |one| one.name == test.name } }
    end

    private

    def of_file(mutant, test_file)
      record = record(test_file)
      return [] unless record[:sources].key?(mutant.file)

      bits = yield(record)
      record[:tests].filter_map do |name, (seconds, masks)|
        touched = masks[mutant.file]
        next if touched.nil? || (touched & bits).zero?

        Test.new(test_file, name, seconds, ones(touched).fdiv(masks.each_value.sum { ones(_1) }))
      end
    end

    def loaded?(mutant, record)
      lines = record.fetch(:loaded, {})[mutant.file]
      mutant.scope && lines&.anybits?(line_of(mutant, record))
    end

    def line_of(mutant, record)
      mutant.scope ? 1 << place(mutant, record[:sources][mutant.file], record) : -1
    end

    # The line where it was when the test was recorded, or where its statement began.
    def place(mutant, source, record)
      texts = (@texts ||= {})[source] ||= File.readlines(File.join(@folder, source), chomp: true)
      text = Sources.read(mutant.file).lines(chomp: true).fetch(mutant.line - 1)
      places = texts.each_index.select { |i| texts[i] == text }
      line = (places.min_by { |i| (i + 1 - mutant.line).abs } || (mutant.line - 1)) + 1
      ran = any(record, mutant.file) | record.fetch(:loaded, {}).fetch(mutant.file, 0)
      line -= 1 while line > 1 && ran[line].zero? && !texts[line - 1]&.match?(/^\s*def /)
      line
    end

    def any(record, file)
      (record[:any] ||= {})[file] ||=
        record[:tests].each_value.reduce(0) { |all, (_, masks)| all | masks.fetch(file, 0) }
    end

    def record(test_file)
      (@records ||= {})[test_file] ||= Marshal.load(File.binread(path(test_file)))
    end

    def path(test_file) = File.join(@folder, "#{test_file.tr("/", "-")}.bin")

    def keep(text)
      name = "#{Digest::SHA1.hexdigest(text)}.rb"
      path = File.join(@folder, name)
      File.write(path, text) unless File.exist?(path)
      name
    end

    def digest(test_file) = Digest::SHA1.file(File.join(@root, test_file)).hexdigest

    def mask(lines) = lines.reduce(0) { |bits, line| bits | (1 << line) }

    def ones(bits) = bits.to_s(2).count("1")
  end
end
