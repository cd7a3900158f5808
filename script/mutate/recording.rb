# frozen_string_literal: true

require_relative "attempt"

module Mutate
  # Records what each test touches: runs each test file in a workspace, under recorder.rb.
  class Recording
    LIMIT = 600

    # @param jobs [Integer] test files at once
    # @param touched [Touched]
    # @param files [Array<String>]
    def initialize(jobs, touched = Touched.new, files = TestIndex.new.files)
      @jobs = jobs
      @touched = touched
      @files = files
    end

    # @return [Array<String>] test files without a record, or changed since, the quickest first
    def missing
      index = TestIndex.new
      @files.reject { |file| @touched.recorded?(file) }.sort_by { |file| index.seconds(file) }
    end

    # @yieldparam file [String] that was recorded, in no order
    def call(files = missing, &block)
      Jobs.new([@jobs, files.size].min).call(files) do |file, space|
        @touched.write(file, *tests(file, space))
        block.call(file)
      end
    end

    private

    def tests(file, space)
      folder = File.join(space.root, "touched").tap { |path| FileUtils.mkdir_p(path) }
      Attempt.new(space, [file], limit: LIMIT, script: "record.rb", environment: {
        "RAFFIA_TOUCHED" => folder, "RUBYOPT" => "-r#{space.root}/script/mutate/recorder.rb"
      }).call
      entries = Dir.glob("#{folder}/*.bin").flat_map { |path| entries(path) }
      [merge(entries), loaded(entries)]
    ensure
      FileUtils.rm_rf(folder)
    end

    def entries(path)
      File.open(path, "rb") do |file|
        found = []
        found << Marshal.load(file) until file.eof?
        found
      rescue ArgumentError, EOFError, TypeError
        found # the process ended while it wrote
      end
    end

    # Lines that ran before the first test.
    def loaded(entries)
      entries.select { |entry| entry[:test].empty? }.each_with_object({}) do |entry, lines|
        add(lines, entry[:lines])
      end
    end

    # A process that outlives its test is one that the tests of the class share.
    def merge(entries)
      tests, children = entries.partition { |entry| !entry[:child] }
      found = tests.reject { |entry| entry[:test].empty? }.to_h do |entry|
        seconds = entry[:ended] - entry[:began]
        [entry[:test], [seconds, entry[:lines].transform_values(&:dup), entry[:ended]]]
      end
      children.each { |entry| sharers(found, entry).each { |test| add(test[1], entry[:lines]) } }
      found.transform_values { |seconds, lines, _| [seconds, lines] }
    end

    def sharers(found, entry)
      test = found[entry[:test]] or return []
      return [test] if entry[:ended] <= test[2]

      klass = entry[:test][/\A.*?#/]
      found.select { |name, _| name.start_with?(klass) }.values
    end

    def add(lines, more) = lines.merge!(more) { |_, one, other| one | other }
  end
end
