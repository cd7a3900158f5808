# frozen_string_literal: true

require_relative "batch"
require_relative "sources"
require_relative "test_index"
require_relative "touched"

module Mutate
  # Chooses the tests of a mutant: those that run its line, as recorded, then whole files whose path
  # and words have most in common with the file, and with the method that is changed. A rare word
  # counts more than one that every test has.
  class Nearest
    PATH, CONSTANT, SCOPE = 4.0, 3.0, 3.0
    # So many seconds of tests run in one process, then the next: most mutants die in the first.
    BATCH = 6.0
    # Seconds of a test that weigh as much as the nearness of the nearest.
    SLOW = 10.0
    # Share of the seconds for files that are chosen by their words when many tests run the line:
    # what other Ractors run, and processes that are killed, is not recorded.
    WORDS = 0.25
    # A test that is further than this from the nearest is not worth its time.
    FAR = 0.12
    # Names of a component's tests beside its own name.
    ALIASES = {"process" => %w[supervisor], "engine" => %w[scheduler], "run" => %w[scheduler],
               "integrations" => %w[rails], "base" => %w[error fork]}.freeze
    # Weight of a test of another component, which may share words by chance.
    ELSEWHERE = 0.25

    # @param seconds [Numeric] of tests for one mutant
    # @param index [TestIndex]
    # @param touched [Touched]
    def initialize(seconds, index = TestIndex.new, touched = Touched.new)
      @seconds = seconds
      @index = index
      @touched = touched
      @names = {}
      @lock = Mutex.new
    end

    # @param mutant [Mutant]
    # @return [Array<Batch>] the nearest first
    def batches(mutant)
      @lock.synchronize do
        tests = touching(mutant)
        left = @seconds - tests.sum(&:seconds)
        files = chosen(mutant, tests.empty? ? @seconds : left)
        by_name(tests) + by_file(files)
      end
    end

    # @param mutant [Mutant]
    # @return [Array<Touched::Test>] those that run its line, the nearest first
    def touching(mutant)
      tests = @touched.tests(mutant, @index.files)
      scores = tests.map(&:file).uniq.to_h { |file| [file, score(mutant, file)] }
      best = [scores.values.max || 0, 1e-9].max
      focus = [tests.map(&:focus).max || 0, 1e-9].max
      ranked = tests.sort_by do |test|
        [test.seconds / SLOW - scores[test.file] / best - test.focus / focus, test.name]
      end
      fitting(different(ranked), @seconds * (1 - WORDS), &:seconds)
    end

    # @param mutant [Mutant]
    # @param seconds [Numeric]
    # @return [Array<String>] test files by their words, the nearest first
    def chosen(mutant, seconds = @seconds)
      ranked = @index.files.map { |file| [score(mutant, file), file] }
      ranked = ranked.sort_by { |score, file| [-score, file] }
      best = ranked.first.first
      near = ranked.take_while { |score, _| score >= best * FAR }.map(&:last)
      fitting(near, seconds) { |file| @index.seconds(file) }
    end

    private

    # At least one of them.
    def fitting(all, seconds)
      total = 0.0
      all.select do |one|
        fits = total.zero? || total + yield(one) <= seconds
        total += yield(one) if fits
        fits
      end
    end

    # The same test in several classes, such as one for each back end, is one test and variants.
    def different(tests)
      firsts = tests.uniq { |test| [test.file, test.name[/#.*/]] }
      firsts + (tests - firsts)
    end

    def by_name(tests)
      split(tests, &:seconds).map do |some|
        Batch.new(some.map(&:file).uniq, some.map(&:name), some.sum(&:seconds))
      end
    end

    def by_file(files)
      split(files) { |file| @index.seconds(file) }.map do |some|
        Batch.new(some, nil, some.sum { |file| @index.seconds(file) })
      end
    end

    def split(all)
      total = 0.0
      all.slice_when do |before, after|
        total += yield(before)
        (total + yield(after) > BATCH).tap { |full| total = 0.0 if full }
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
