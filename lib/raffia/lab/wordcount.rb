# frozen_string_literal: true

require_relative "experiment"
require_relative "mapping"
require_relative "meter"
require_relative "service/corpus"
require_relative "wordcount/counter"

module Raffia
  module Lab
    # How often each word is in 100 MB of real text. Every word is a String for a moment, so this is
    # a measure of what allocating costs side by side: in threads, in Ractors, whose garbage is
    # collected together, and in processes.
    class Wordcount < Experiment
      BYTES = 100_000_000
      LEAST = 10_000

      def name = "wordcount"

      def title = "the words of 100 MB of real text, counted"

      def variants = %i[inline threads ractors processes]

      def controls = {plain_ractors: :ractors, plain_processes: :processes}

      def params(scale) = {bytes: [(BYTES * scale).round, LEAST].max}

      def size(params) = "#{format("%.1f", params[:bytes] / 1e6)} MB"

      def service = :corpus

      def obstacles(_params)
        if Service::Corpus.missing
          [*variants, *controls.keys].to_h { |variant| [variant, Service::Corpus.missing] }
        else
          {}
        end
      end

      # The file is this run's own.
      def warm_up(setting)
        path = setting.service.fetch(:path)
        Service::Corpus.resize(path, setting.params[:bytes])
        Mapping.call(setting, Counter.parts(path, setting.workers)
          .map { |from, _| [from, from + 1_000].freeze }, work(path))
      end

      def perform(setting)
        path = setting.service.fetch(:path)
        reading = Meter.measure do
          # One part for each worker, because each part comes back with a table of its own, of most
          # words that there are.
          Counter.together(Mapping.call(setting, Counter.parts(path, setting.workers), work(path)))
        end
        {seconds: reading.seconds, cpu: reading.cpu, words: reading.value.values.sum,
         different: reading.value.size,
         table: Service::Corpus.digest(Counter.table(reading.value))}
      end

      def verify(_params, facts, report)
        {
          "as many words as tr and awk count" => facts[:words] == report[:words],
          "each word as often as by them" => facts.values_at(:different, :table) ==
            report.values_at(:different, :table)
        }
      end

      def goals(rows)
        [Goal.at_least("processes at least 0.85x independent programs",
          rows.against(:processes, :plain_processes), 0.85),
          Goal.at_least("ractors at least 0.95x plain Ractor.new",
            rows.against(:ractors, :plain_ractors), 0.95)]
      end

      def notes(_params)
        ["the text is #{Service::Corpus.found.map { |path| File.basename(path, ".dict.dz") }.join(", ")}, " \
          "over and over; a word is letters from a to z",
          "the time is that of reading, counting and putting the workers' tables together"]
      end

      private

      def work(path) = Work.new(Counter, :count, [-path])
    end
  end
end
