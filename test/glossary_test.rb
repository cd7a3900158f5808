# frozen_string_literal: true

require "test_helper"
require "support/architecture/glossary"

# Names of lib/ in the words of docs/glossary.md.
class GlossaryTest < Raffia::TestCase
  ROOT = File.expand_path("..", __dir__)
  PAGE = File.join(ROOT, "docs/glossary.md")

  def test_names_use_the_words_of_the_glossary
    faults = glossary.faults(ROOT).flat_map do |component, words|
      words.map { |word, names| "#{component}: #{word} in #{names.join(", ")}" }
    end
    assert_empty faults, "not in docs/glossary.md, or replaced there: use another word, or " \
      "explain this one there"
  end

  def test_caught_a_word_that_is_unknown_or_replaced
    page = Architecture::Glossary.new(<<~PAGE)
      | Noun | Meaning |
      |---|---|
      | Worker | executes |
      | Process | of the system |
      | MariaDB | a server |
      ## Words that were replaced
      | `Seat`, `Acks` | WorkerSlot |
      | `::Local` | RactorLocal |
    PAGE
    assert_equal [], page.faulty_words("RactorWorker")
    assert_equal [], page.faulty_words("Processes")
    assert_equal [], page.faulty_words("MariaDB")
    assert_equal ["Holder"], page.faulty_words("LeaseHolder")
    assert_equal ["Seats"], page.faulty_words("ProcessSeats")
    assert_equal ["Seat"], page.faulty_words("SeatWorker")
    assert_equal ["Local"], page.faulty_words("Local")
    assert_equal [], page.faulty_words("AckWorker")
  end

  def test_nouns_are_in_use
    assert_empty glossary.unused(ROOT), "in docs/glossary.md, but no name in lib ends in it"
  end

  def test_nouns_are_listed_once
    assert_equal [], glossary.nouns.tally.select { |_, count| count > 1 }.keys
  end

  private

  def glossary = @glossary ||= Architecture::Glossary.new(File.read(PAGE))
end
