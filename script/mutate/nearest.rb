# frozen_string_literal: true

require_relative "sources"
require_relative "test_index"

module Mutate
  # Chooses the tests of a mutant: those whose path and words have most in common with the file, and
  # with the method that is changed. A rare word counts more than one that every test has.
  class Nearest
    PATH, CONSTANT, SCOPE = 4.0, 3.0, 3.0
    # So many seconds of tests run in one process, then the next: most mutants die in the first.
    BATCH = 6.0
    # A test that is further than this from the nearest is not worth its time.
    FAR = 0.12
    # What tests of a component are called beside its own name.
    ALIASES = {"process" => %w[supervisor], "engine" => %w[scheduler], "run" => %w[scheduler],
               "integrations" => %w[rails], "base" => %w[error fork]}.freeze
    # For a test of another component, which may share words by chance.
    ELSEWHERE = 0.25

    # @param seconds [Numeric] of tests for one mutant
    # @param index [TestIndex]
    def initialize(seconds, index = TestIndex.new)
      @seconds = seconds
      @index = index
      @names = {}
    end

    # @param mutant [Mutant]
    # @return [Array<Array<String>>] test files in batches, the nearest first
    def batches(mutant) = split(chosen(mutant))

    # @param mutant [Mutant]
    # @return [Array<String>] test files, the nearest first
    def chosen(mutant)
      ranked = @index.files.map { |file| [score(mutant, file), file] }
      ranked = ranked.sort_by { |score, file| [-score, file] }
      best = ranked.first.first
      total = 0.0
      ranked.take_while { |score, _| score >= best * FAR }.map(&:last).select do |file|
        fits = total.zero? || total + @index.seconds(file) <= @seconds
        total += @index.seconds(file) if fits
        fits
      end
    end

    private

    def split(files)
      total = 0.0
      files.slice_when do |before, after|
        total += @index.seconds(before)
        (total + @index.seconds(after) > BATCH).tap { |full| total = 0.0 if full }
      end.to_a
    end

    def score(mutant, test)
      words = @index.words(test)
      near = constants(mutant.file).sum { |name| words.include?(name) ? @index.rarity(name) : 0 }
      scope = words.include?(mutant.scope) ? @index.rarity(mutant.scope) : 0
      shared = TestIndex.parts(mutant.file) & TestIndex.parts(test)
      path = shared.sum { |part| @index.path_rarity(part) }
      (PATH * path + CONSTANT * near + SCOPE * scope) * (home?(mutant, test) ? 1 : ELSEWHERE)
    end

    def home?(mutant, test)
      name = mutant.component
      [name, *ALIASES[name]].intersect?(TestIndex.parts(test))
    end

    # The classes and modules that the file defines, innermost and outer ones.
    def constants(file)
      @names[file] ||= Sources.read(file).scan(/^\s*(?:class|module) ([\w:]+)/).flatten
        .flat_map { |name| name.split("::") }.uniq - ["Raffia"]
    end
  end
end
