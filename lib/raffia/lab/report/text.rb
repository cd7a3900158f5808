# frozen_string_literal: true

require_relative "bars"
require_relative "best_columns"
require_relative "change_columns"
require_relative "columns"
require_relative "environment_summary"
require_relative "scaling_columns"
require_relative "screen"
require_relative "table"
require_relative "verdicts"

module Raffia
  module Lab
    module Report
      # The report on a terminal, experiment by experiment as they finish.
      class Text
        STYLES = {good: :green, warn: :yellow, bad: :red, soft: :dim}.freeze
        CHANGES = {"better" => :green, "worse" => :red}.freeze
        # Load for each core that can spoil a comparison.
        BUSY = 0.25

        def initialize(io, screen)
          @io = io
          @screen = screen
        end

        def environment(environment)
          EnvironmentSummary.of(environment).each { |name, value| folded(name, value) }
          busy(environment)
          @io.puts
        end

        def experiment(outcome)
          say "#{outcome[:name]}: #{outcome[:title]}", :bold
          say "#{outcome[:size]}; scale #{format("%g", outcome[:scale])}, #{runs(outcome)}", :dim
          table(outcome)
          bars(outcome)
          scaling(outcome)
          say Verdicts.published(outcome), :dim if outcome[:published].any?
          verdicts(outcome)
          @io.puts
        end

        def comparison(comparison)
          say ChangeColumns.summary(comparison), :bold
          comparison[:warnings].each { |warning| say "warning: #{warning}", :yellow }
          comparison[:experiments].each { |change| changes(change) }
          say ChangeColumns.legend, :dim
        end

        def closing(outcomes)
          summary(outcomes)
          Verdicts.overall(outcomes).each { |kind, text| say text, STYLES.fetch(kind) }
          unless outcomes.all? { |outcome| outcome[:finished] }
            say "Stopped: the above is what was finished.", :yellow
          end
        end

        private

        # A single experiment needs no summary.
        def summary(outcomes)
          return if outcomes.size < 2
          head, *rows = Table.lines(BestColumns.of(outcomes), @screen.width)
          @io.puts @screen.dim(head), rows, ""
        end

        def say(text, style = nil, indent: 0)
          @screen.wrap(text, indent).each do |line|
            @io.puts style ? @screen.public_send(style, line) : line
          end
        end

        def folded(name, value)
          first, *rest = @screen.wrap(value, 10)
          @io.puts "#{@screen.dim(name.ljust(8))}  #{first.lstrip}", *rest
        end

        def busy(environment)
          return unless environment[:load].to_f > environment[:cores] * BUSY
          say "The machine is busy (load #{environment[:load]}): what is measured now will be " \
            "slower and less even than it could be.", :yellow
        end

        def runs(outcome)
          text = "#{outcome[:asked]} #{(outcome[:asked] == 1) ? "run" : "runs"} each after a " \
            "warm-up, each in a process of its own"
          outcome[:finished] ? text : "#{text}; INTERRUPTED, this is what was finished"
        end

        def table(outcome)
          head, *rows = Table.lines(Columns.of(outcome), @screen.width)
          @io.puts @screen.dim(head)
          rows.zip(outcome[:rows]) { |line, row| @io.puts colored(line, row) }
        end

        def colored(line, row)
          return @screen.red(line) if row[:status] == "failed" && !row[:control]
          (row[:status] == "ok" && !row[:control]) ? line : @screen.dim(line)
        end

        def scaling(outcome)
          columns = ScalingColumns.of(outcome)
          return if columns.empty?
          @io.puts
          say ScalingColumns.caption(outcome), :dim
          head, ideal, *rows = Table.lines(columns, @screen.width)
          @io.puts @screen.dim(head), @screen.dim(ideal)
          rows.zip(outcome[:scaling]) do |line, series|
            @io.puts series[:control] ? @screen.dim(line) : line
          end
        end

        def changes(change)
          return if ChangeColumns.rows(change).empty?
          @io.puts
          head, *rows = Table.lines(ChangeColumns.of(change), @screen.width)
          @io.puts @screen.bold(change[:name]), @screen.dim(head)
          rows.zip(ChangeColumns.rows(change)) do |line, row|
            @io.puts @screen.public_send(CHANGES.fetch(row[:verdict], :dim), line)
          end
        end

        def bars(outcome)
          list = Bars.of(outcome, @screen.width, unicode: @screen.unicode)
          return if list.empty?
          @io.puts
          list.each { |label, bar, value| @io.puts "#{label} #{@screen.cyan(bar)} #{value}" }
          say "#{outcome[:more] ? "longer" : "shorter"} is better; the light end is the largest " \
            "run", :dim
        end

        def verdicts(outcome)
          Verdicts.of(outcome).each { |kind, text| say text, STYLES.fetch(kind) }
        end
      end
    end
  end
end
