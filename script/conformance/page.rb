# frozen_string_literal: true

module Conformance
  # The table of docs/conformance.md, between two markers: a row for each suite, and the reasons
  # below. Suites that were not run this time keep what is there.
  class Page
    FILE = File.join(ROOT, "docs/conformance.md")
    OPEN = "<!-- conformance: begin -->"
    CLOSE = "<!-- conformance: end -->"
    COLUMNS = ["plain", *Suite::RAFFIA_MODES, "async"].freeze
    HEAD = "| suite | version | Ruby | #{COLUMNS.join(" | ")} |\n|#{"---|" * (COLUMNS.size + 3)}\n"

    def initialize(file = FILE)
      @file = file
    end

    # @param results [Array<Comparison>]
    # @param names [Array<String>] of all suites, in the order of the table; rows of others
    #   are dropped
    def write(results, names)
      text = File.read(@file)
      before, old, after = cut(text)
      rows = read(old)
      results.each { |result| rows[result.suite.name] = [row(result), reasons(result)] }
      File.write(@file, "#{before}#{OPEN}\n#{content(rows.slice(*names))}#{CLOSE}#{after}")
    end

    private

    def cut(text)
      before, rest = text.split(OPEN, 2)
      old, after = rest&.split(CLOSE, 2)
      raise Error, "#{@file} has not both markers, #{OPEN} and #{CLOSE}" unless after

      [before, old, after]
    end

    # @return [Hash{String => Array(String, String)}] row and reasons of each suite
    def read(text)
      rows = text.scan(/^\| <a id="suite-([^"]+)"><\/a>.*\n/).flatten
      rows.to_h do |name|
        [name,
          [text[/^\| <a id="suite-#{Regexp.escape(name)}">.*\n/],
            text.scan(/^\* `#{Regexp.escape(name)}`: .*\n/).join]]
      end
    end

    def content(rows)
      reasons = rows.values.map(&:last).join
      list = "What differs, and why:\n\n#{reasons}\n" unless reasons.empty?
      "#{HEAD}#{rows.values.map(&:first).join}\n#{list}"
    end

    def row(result)
      suite = result.suite
      cells = COLUMNS.map { |mode| cell(result, mode) }
      first = "<a id=\"suite-#{suite.name}\"></a>#{suite.title}"
      "| #{[first, suite.version, RUBY_VERSION, *cells].join(" | ")} |\n"
    end

    # How many pass; and of Raffia how many fail there alone.
    def cell(result, mode)
      outcome = result.outcomes[mode]
      return "" unless outcome && !result.broken(mode)

      passed = outcome.count("pass")
      note = if mode == "plain" || mode == "async" then others(outcome)
      else
        alone(result, mode)
      end
      note ? "#{passed} (#{note})" : passed.to_s
    end

    def others(outcome)
      failed = outcome.count(*Comparison::BAD)
      "#{failed} fail" if failed.positive?
    end

    def alone(result, mode)
      here = result.differences.select { |difference| difference.mode == mode }
      known, unknown = here.partition(&:known).map(&:size)
      words = {"differ" => known, "**fail**" => unknown, "unsteady" => result.unsteady(mode).size}
        .filter_map { |word, number| "#{number} #{word}" if number.positive? }
      words.join(", ") unless words.empty?
    end

    def reasons(result)
      result.reasons.map do |entry|
        here = result.differences.select { |difference| difference.known.equal?(entry) }
        "* `#{result.suite.name}`: #{extent(here)}. #{entry.why.gsub(/\s+/, " ")}\n"
      end.join
    end

    def extent(differences)
      names = differences.map(&:name).uniq
      modes = differences.map(&:mode).uniq
      where = (modes.size == Suite::RAFFIA_MODES.size) ? "" : " on #{modes.join(", ")}"
      "#{names.size} #{(names.size == 1) ? "test" : "tests"}#{where}#{likewise(differences)}"
    end

    def likewise(differences)
      asked = differences.map(&:async).compact
      return "" if asked.empty?
      return " (async likewise)" if asked.all?

      asked.none? ? " (async passes)" : " (async in part likewise)"
    end
  end
end
