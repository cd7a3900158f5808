# frozen_string_literal: true

require "json"
require_relative "../../base/version"

module Raffia
  module CLI
    class Doctor < Command
      # Prints findings without colour, in 80 columns, so that they can be pasted into an issue.
      module Report
        WIDTH = 80
        # Advice is indented less than details, so that a command in it stays on one line.
        INDENT = 26
        ADVICE_INDENT = 8

        module_function

        def text(sections, out)
          out.puts "Raffia #{VERSION} on this machine"
          sections.each do |title, checks|
            out.puts "", title
            checks.each { |check| entry(check, out) }
          end
          out.puts "", verdict(sections.values.flatten)
        end

        def json(sections, out)
          checks = sections.flat_map do |title, found|
            found.map { |check| {section: title, **check.to_h} }
          end
          out.puts JSON.pretty_generate(version: VERSION,
            ok: checks.none? { |check| check[:status] == "fail" }, checks: checks)
        end

        def entry(check, out)
          first, *rest = wrap(check.detail)
          out.puts format("  %-4s  %-16s  %s", check.status, check.name, first).rstrip
          rest.each { |line| out.puts "#{" " * INDENT}#{line}" }
          return unless check.advice
          wrap(check.advice, WIDTH - ADVICE_INDENT - 3).each_with_index do |line, i|
            out.puts "#{" " * ADVICE_INDENT}#{i.zero? ? "-> " : "   "}#{line}"
          end
        end

        # A word that is longer than a line gets its own line.
        def wrap(text, width = WIDTH - INDENT) = text.scan(/\S.{0,#{width - 1}}(?=\s|\z)|\S+/)

        def verdict(checks)
          counts = checks.map(&:status).tally
          warnings = counts.fetch("warn", 0)
          return "#{counts["fail"]} broken: see the lines that begin with fail." if counts["fail"]
          return "Nothing is broken." if warnings.zero?
          "Nothing is broken; #{warnings} #{(warnings == 1) ? "warning" : "warnings"}."
        end
      end
    end
  end
end
