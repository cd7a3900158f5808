# frozen_string_literal: true

module Mutate
  # The words of each test file, with those of the files of test/ that it requires, and its cost.
  class TestIndex
    # Tests of documents, packages and other programs, storms, and what takes minutes.
    OTHERS = %r{\Atest/(?:jruby|stress|native|ledger|architecture_test|unit/(?:mutate|conformance)|
      integration/(?:bench|docs|project))}x
    # Seconds assumed for a test file without a measurement.
    SECONDS = 5.0
    # Least seconds of a test file.
    LEAST = 0.5

    # @param root [String] the folder with test/ in it
    def initialize(root = ROOT)
      @root = root
      @words = {}
      @times = times
    end

    # @return [Array<String>] paths below the root
    def files
      @files ||= Dir.glob("test/**/*_test.rb", base: @root).grep_v(OTHERS).sort
    end

    # @return [Set<String>] the words of its text and of its path
    def words(file)
      @words[file] ||= text(file, {}).scan(/\w+[?!]?/).to_set
    end

    # @return [Array<String>] the parts of a path, for tests and for lib alike
    def self.parts(file) = file.delete_suffix("_test.rb").delete_suffix(".rb").split(%r{[/_]})

    # @return [Float] seconds that it takes on an idle machine, with its share of a start
    def seconds(file) = [@times.fetch(file, SECONDS), LEAST].max

    # @return [Float] high for a word that few files have
    def rarity(word)
      @rarity ||= files.flat_map { |file| words(file).to_a }.tally
      (count = @rarity[word]) ? Math.log(1 + files.size.fdiv(count)) : 0.0
    end

    # @return [Float] the same of a part of paths
    def path_rarity(part)
      @path_rarity ||= files.flat_map { |file| self.class.parts(file).uniq }.tally
      (count = @path_rarity[part]) ? Math.log(1 + files.size.fdiv(count)) : 0.0
    end

    private

    def text(file, seen)
      return "" if seen[file] || !File.exist?(path = File.join(@root, file))

      seen[file] = true
      text = File.read(path)
      required = text.scan(/^\s*require(_relative)? "([^"]+)"/).map do |relative, name|
        relative ? File.join(File.dirname(file), "#{name}.rb") : "test/#{name}.rb"
      end
      [text, *required.map { |name| text(clean(name), seen) }].join("\n")
    end

    def clean(name) = File.expand_path(name, "/").delete_prefix("/")

    def times
      file = File.join(@root, "test/times.tsv")
      return {} unless File.exist?(file)

      File.readlines(file, chomp: true).to_h { |line| line.split("\t") }.transform_values(&:to_f)
    end
  end
end
