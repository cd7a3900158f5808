# frozen_string_literal: true

require_relative "experiment"

module Raffia
  module Lab
    # Compares on: :auto with each strategy that a person could choose, on many kinds of work. One
    # run does the work with all of them, in one process and in shuffled order: only figures that
    # are measured together are compared.
    class Auto < Experiment
      # Keywords of Raffia.map. Threads come twice: one for each core, and more for work that waits.
      CHOICES = {
        inline: {on: :inline}.freeze, fibers: {on: :fibers}.freeze, threads: {on: :threads}.freeze,
        threads_x32: {on: :threads, workers: 32}.freeze, processes: {on: :processes}.freeze
      }.freeze

      def name = "auto"

      def title = "on: :auto beside each choice by hand, on work of many kinds"

      def variants = Workloads::ALL.keys

      def workers(_variant, _cores) = [1]

      def workers?(_variant) = false

      def baseline = nil

      def cpu_bound? = false

      def metric = Metric.new(key: :auto, unit: "s", more: false)

      def params(scale) = {scale: scale.to_f}

      def size(params)
        "#{Workloads::ALL.size} kinds of work#{" times #{params[:scale]}" if params[:scale] != 1}"
      end

      def warm_up(setting)
        items, block = Workloads.of(setting.variant, 0.001)
        [*CHOICES.values, {on: :auto}].each do |keywords|
          Raffia.map(items.first(2), **keywords, &block)
        end
      end

      def perform(setting)
        items, block = Workloads.of(setting.variant, setting.params[:scale])
        chosen = nil
        choices = {**CHOICES, auto: {on: :auto, explain: ->(choice) { chosen = choice }}}
        results = {}
        seconds = choices.to_a.shuffle.to_h do |name, keywords|
          GC.start
          results[name], time = Clock.measure { Raffia.map(items, **keywords, &block) }
          [name, time]
        end
        {**seconds, **ratios(seconds), alike: results.values.uniq.size == 1,
                                       chosen: "#{chosen.on} x#{chosen.workers}",
                                       reasons: chosen.explain}
      end

      def verify(_params, facts, _report) = {"all ways have the same results" => facts[:alike]}

      def extras
        [ExtraMetric.new(key: :to_best, label: "of the best choice's", format: "%.2fx"),
          ExtraMetric.new(key: :to_inline, label: "of inline's", format: "%.2fx"),
          ExtraMetric.new(key: :best, label: "best choice, s", format: "%.3f"),
          ExtraMetric.new(key: :inline, label: "inline, s", format: "%.3f")]
      end

      def notes(_params)
        ["each row: the time of :auto, the first items in the caller included; what it is of the " \
          "time of the best choice by hand (of #{CHOICES.keys.join(", ").tr("_", " ")}) and of " \
          "inline in the same process. The JSON has all of them, and the reasons",
          "Ractors are left out: on Ruby 3 :auto leaves them to those who ask for them"]
      end

      # Says for each kind of work what :auto chose, why, and what would have been best.
      def remarks(rows)
        rows.filter_map do |row|
          runs = row[:runs].reject { |run| run[:error] }
          next if runs.empty?

          "#{row[:variant]}: #{Workloads::ALL[row[:variant].to_sym]}. By hand best: " \
            "#{counted(runs, :hand)}; :auto: #{counted(runs, :chosen)}, as " \
            "#{runs.last[:reasons].lines[1].strip}"
        end
      end

      private

      # The runs' values of the key, with their numbers when the runs do not agree.
      def counted(runs, key)
        values = runs.map { |run| run[key].to_s.tr("_", " ") }.tally
        values.map { |value, times|
          (times == runs.size) ? value : "#{value} (#{times} of #{runs.size})"
        }.join(", ")
      end

      def ratios(seconds)
        hand, best = seconds.slice(*CHOICES.keys).min_by(&:last)
        {hand:, best:, to_best: seconds[:auto] / best, to_inline: seconds[:auto] / seconds[:inline]}
      end
    end
  end
end

require_relative "auto/workloads"
