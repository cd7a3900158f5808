# frozen_string_literal: true

require "prism"
require_relative "operators"
require_relative "sources"

module Mutate
  # Draws mutants by a seed. Each line that can be mutated has the same chance and gives one.
  class Draw
    # @param files [Array<String>]
    # @param seed [Integer]
    def initialize(files, seed)
      @files = files
      @seed = seed
    end

    # @param count [Integer]
    # @return [Array<Mutant>] at most so many, all of them valid Ruby
    def take(count)
      random = Random.new(@seed)
      drawn = lines.shuffle(random: random).lazy.map { |mutants| mutants.sample(random: random) }
      drawn.select { |mutant| valid?(mutant) }.first(count)
    end

    private

    def lines
      @files.flat_map { Operators.mutants(Sources.read(_1), _1).group_by(&:line).values }
    end

    # The text of a heredoc stands below the call: dropping the call would leave the text behind.
    def valid?(mutant)
      source = Sources.read(mutant.file)
      return false if source.byteslice(mutant.range).include?("<<~")

      Prism.parse(mutant.apply(source)).success?
    end
  end
end
