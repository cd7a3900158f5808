# frozen_string_literal: true

require "prism"
require_relative "operators"
require_relative "sources"

module Mutate
  # Draws mutants by a seed. Each line that can be mutated has the same chance and gives one; a line
  # that is asked for by its number gives all that it has.
  class Draw
    # @param files [Hash{String => Array<Integer>}] chosen lines by file, none for all
    # @param seed [Integer]
    def initialize(files, seed)
      @files = files
      @seed = seed
    end

    # @param count [Integer]
    # @return [Array<Mutant>] at most so many, all of them valid Ruby
    def take(count)
      random = Random.new(@seed)
      drawn = lines.shuffle(random: random).lazy.flat_map do |mutants|
        chosen?(mutants.first) ? mutants : [mutants.sample(random: random)]
      end
      drawn.select { |mutant| valid?(mutant) }.first(count)
    end

    private

    def lines
      @files.flat_map do |file, lines|
        mutants = Operators.mutants(Sources.read(file), file)
        mutants.select! { |mutant| lines.include?(mutant.line) } if lines.any?
        mutants.group_by(&:line).values
      end
    end

    def chosen?(mutant) = @files.fetch(mutant.file).any?

    # The text of a heredoc stands below the call: dropping the call would leave the text behind.
    def valid?(mutant)
      source = Sources.read(mutant.file)
      return false if source.byteslice(mutant.range).include?("<<~")

      Prism.parse(mutant.apply(source)).success?
    end
  end
end
