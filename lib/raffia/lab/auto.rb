# frozen_string_literal: true

require_relative "experiment"
require_relative "../base/clock"

module Raffia
  module Lab
    # on: :auto beside the choices that a person would make, on work of many kinds. A row is a kind
    # of work, and each of its runs does that work in all ways, in one process and in a shuffled
    # order: only what is measured together is compared.
    class Auto < Experiment
      # What a person may choose, as keywords of Raffia.map. Threads twice: one for each core, and
      # more where work waits.
      HANDS = {
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
        [*HANDS.values, {on: :auto}].each do |keywords|
          Raffia.map(items.first(2), **keywords, &block)
        end
      end

      def perform(setting)
        items, block = Workloads.of(setting.variant, setting.params[:scale])
        choice = nil
        ways = {**HANDS, auto: {on: :auto, explain: ->(made) { choice = made }}}
        results = {}
        seconds = ways.to_a.shuffle.to_h do |way, keywords|
          GC.start
          results[way], time = Clock.measure { Raffia.map(items, **keywords, &block) }
          [way, time]
        end
        {**seconds, **ratios(seconds), alike: results.values.uniq.size == 1,
                                       chosen: "#{choice.on} x#{choice.workers}",
                                       reasons: choice.explain}
      end

      def verify(_params, facts, _report) = {"all ways have the same results" => facts[:alike]}

      def extras
        [ExtraMetric.new(key: :to_best, label: "of the best hand's", format: "%.2fx"),
          ExtraMetric.new(key: :to_inline, label: "of inline's", format: "%.2fx"),
          ExtraMetric.new(key: :best, label: "best hand, s", format: "%.3f"),
          ExtraMetric.new(key: :inline, label: "inline, s", format: "%.3f")]
      end

      def notes(_params)
        ["each row: the time of :auto, the first items in the caller included; what it is of the " \
        "time of the best choice by hand " \
          "(of #{HANDS.keys.join(", ").tr("_", " ")}) and of inline in the same process. The " \
          "JSON has all of them, and the reasons",
          "Ractors are left out: on Ruby 3 :auto leaves them to those who ask for them"]
      end

      # @return [Array<String>] for each kind of work where it went and why, and what would have
      #   been best
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

      # @return [String] what the runs said, and how often when they did not agree
      def counted(runs, key)
        said = runs.map { |run| run[key].to_s.tr("_", " ") }.tally
        said.map { |what, times|
          (times == runs.size) ? what : "#{what} (#{times} of #{runs.size})"
        }.join(", ")
      end

      def ratios(seconds)
        hand, best = seconds.slice(*HANDS.keys).min_by(&:last)
        {hand:, best:, to_best: seconds[:auto] / best, to_inline: seconds[:auto] / seconds[:inline]}
      end
    end
  end
end

require_relative "auto/workloads"
