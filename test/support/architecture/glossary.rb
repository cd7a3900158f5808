# frozen_string_literal: true

require_relative "definitions"

module Architecture
  # Names in the code against docs/glossary.md: a name ends in a word of its first table, and has
  # no word of its second.
  class Glossary
    WORD = /[A-Z]+(?![a-z])\d*|[A-Z][a-z]*\d*/
    ERRORS = %w[StandardError Exception].freeze

    # @param text [String] of docs/glossary.md
    def initialize(text)
      used, replaced = text.split(/^## Words that were replaced$/)
      @nouns = used.scan(/^\| (?!Noun )(\w+) \|/).flatten
      words = replaced.to_s.scan(/^\| (`.+?) \|/).flatten.flat_map { |cell| cell.scan(/`(.+?)`/) }
        .flatten
      alone, @replaced = words.partition { |word| word.start_with?("::") }
      @replaced_alone = alone.map { |word| word.delete_prefix("::") }
    end

    # @return [Array<String>] as they stand in the first table
    attr_reader :nouns

    # @return [Hash{String => Hash{String => Array<String>}}] component => word => its names
    def faults(root)
      names(root).each_with_object({}) do |(component, name), found|
        words = faulty_words(name.split("::").last)
        words.each { |word| ((found[component] ||= {})[word] ||= []) << name }
      end
    end

    # @return [Array<String>] nouns in which no name ends
    def unused(root)
      used = names(root).flat_map do |_, name|
        base = name.split("::").last
        [base, base.scan(WORD).last].compact.flat_map { |word| forms(word) }
      end
      nouns - used
    end

    # @param name [String] without its namespace
    # @return [Array<String>] its words that are replaced, or its last word if it is not known
    def faulty_words(name)
      words = name.scan(WORD)
      bad = words.select { |word| forms(word).intersect?(@replaced) }
      if bad.empty? && (@replaced.include?(name) || forms(name).intersect?(@replaced_alone))
        bad = [name]
      end
      return bad unless bad.empty?

      known = forms(name).intersect?(@nouns) || (words.any? && forms(words.last).intersect?(@nouns))
      known ? [] : [words.last || name]
    end

    private

    # @return [Array<String>] the word, and what it may be the plural of
    def forms(word)
      [word, word.sub(/ies\z/, "y"), word.sub(/es\z/, ""), word.sub(/s\z/, "")].uniq
    end

    # @return [Array(String, String)] component and full name of each class that is no error
    def names(root)
      all = Dir.chdir(root) { Dir["lib/**/*.rb"] }.sort.flat_map do |path|
        component = path.delete_prefix("lib/").delete_prefix("raffia/").delete_suffix(".rb")
          .split("/").first
        Definitions.in(Prism.parse_file(File.join(root, path)).value)
          .map { |found| [component, found] }
      end
      errors = errors(all.map(&:last))
      all.select { |_, found| found.name.start_with?("Raffia::") && !errors.include?(found.base) }
        .map { |component, found| [component, found.name] }.uniq(&:last)
    end

    # Errors are named by what happened, so the glossary does not list them.
    def errors(definitions)
      found = ERRORS.dup
      loop do
        more = definitions.select { |one| one.superclass && error?(one.superclass, found) }
          .map(&:base) - found
        return found if more.empty?

        found.concat(more.uniq)
      end
    end

    def error?(superclass, found)
      superclass.end_with?("Error") || found.include?(superclass.split("::").last)
    end
  end
end
