# frozen_string_literal: true

module Raffia
  module Lab
    module Report
      # Sentences below a table, the same in all reports: right or wrong, goals, reasons of missing
      # rows. Each has a kind: :good, :warn, :bad or :soft.
      module Verdicts
        # Work that failed is no wrong result.
        OVERALL = {
          wrong: [:bad, "WRONG RESULTS in %s: their times mean nothing"].freeze,
          failed: [:bad, "FAILED, at least in part: %s"].freeze,
          unknown: [:warn, "nothing was checked in %s"].freeze,
          right: [:good, "right results in %s"].freeze
        }.freeze

        extend self

        # Which of all experiments are right, and which are not.
        def overall(outcomes)
          names = outcomes.group_by { |outcome| state(outcome) }
          OVERALL.slice(*names.keys).map do |state, (kind, text)|
            [kind, format(text, names[state].map { |outcome| outcome[:name] }.join(", "))]
          end
        end

        def of(outcome)
          [*checks(outcome), *goals(outcome), *reasons(outcome),
            *outcome[:notes].map { |note| [:soft, note] }]
        end

        # The published figures with their hardware, nil without any.
        def published(outcome)
          groups = outcome[:published].group_by { |figure| figure[:hardware] }
            .map do |hardware, figures|
            list = figures.map do |each|
              "#{each[:label]} #{Format.published([each], outcome[:unit])}"
            end
            "#{list.join(", ")} (#{hardware})"
          end
          unless groups.empty?
            "Published, on other machines and other Rubies: #{groups.join("; ")}. Compare the " \
              "ratios."
          end
        end

        private

        def state(outcome)
          return :wrong if outcome[:checks].value?(false)
          {true => :right, false => :failed, nil => :unknown}.fetch(outcome[:check])
        end

        def checks(outcome)
          outcome[:checks].map do |text, right|
            right ? [:good, "right: #{text}"] : [:bad, "WRONG: #{text}"]
          end
        end

        # With several Rubies, goals are about the first.
        def goals(outcome)
          ruby = outcome[:rows].first&.fetch(:ruby)
          on = ", on Ruby #{ruby}" if ruby
          outcome[:goals].reject { |goal| goal[:met].nil? }.map do |goal|
            [goal[:met] ? :good : :warn,
              "goal #{goal[:met] ? "met" : "missed"}: #{goal[:text]}#{on} " \
                "(#{format("%.2f", goal[:value])})"]
          end
        end

        def reasons(outcome)
          reasons = outcome[:rows].select { |row| row[:reason] }
            .group_by { |row| row.values_at(:status, :reason) }
          reasons.map do |(status, reason), rows|
            [:warn, "#{rows.map { |row| Format.label(row) }.join(", ")} #{status}: #{reason}"]
          end
        end
      end
    end
  end
end
