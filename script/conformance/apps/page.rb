# frozen_string_literal: true

module Conformance
  # The table of applications in docs/conformance.md. Those that were not run keep their rows.
  class AppPage
    OPEN = "<!-- applications: begin -->"
    CLOSE = "<!-- applications: end -->"
    HEAD = "| application | pages that differ | steps in Chromium that differ " \
      "| Raffia: writes acknowledged, kept, errors | Puma: the same |\n" \
      "|---|---|---|---|---|\n"

    def initialize(file = Page::FILE)
      @file = file
    end

    # @param verdicts [Array<Trial::Verdict>]
    # @param names [Array<String>] of all applications
    def write(verdicts, names)
      before, old, after = File.read(@file).match(/\A(.*#{OPEN}\n)(.*)(#{CLOSE}.*)\z/mo)&.captures
      raise Error, "#{@file} has not both markers, #{OPEN} and #{CLOSE}" unless after

      rows = old.scan(/^(\| <a id="app-([^"]+)">.*\n)/).to_h { |row, name| [name, row] }
      verdicts.each { |verdict| rows[verdict.app] = row(verdict) unless verdict.error }
      File.write(@file, "#{before}#{HEAD}#{rows.slice(*names).values.join}#{after}")
    end

    private

    def row(verdict)
      cells = [verdict.title, share(verdict.differing, verdict.pages),
        verdict.steps.zero? ? "-" : share(verdict.differing_steps, verdict.steps),
        *AppServer::KINDS.keys.map { |server| cell(verdict.runs[server]) }]
      "| <a id=\"app-#{verdict.app}\"></a>#{cells.join(" | ")} |\n"
    end

    def share(differing, all) = differing.empty? ? "none of #{all}" : differing.join(", ")

    def cell(run) = "#{run[:acknowledged]}, #{run[:written] || "-"}, #{run[:errors].size}"
  end
end
