# frozen_string_literal: true

require_relative "experiment"
require_relative "service/corpus"
require_relative "wordcount/counter"

module Raffia
  module Lab
    # How often each word is in 100 MB of real text. Every word is a String for a moment, so this
    # measures allocation: in threads, in Ractors, whose garbage is collected together, and in
    # processes.
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
        blocked(Service::Corpus.missing, [*variants, *controls.keys])
      end

      # The file belongs to this run.
      def warm_up(setting)
        path = setting.service.fetch(:path)
        Service::Corpus.resize(path, setting.params[:bytes])
        Control.map(setting, Counter.parts(path, setting.workers)
          .map { |from, _| [from, from + 1_000].freeze }, work(path))
      end

      def perform(setting)
        path = setting.service.fetch(:path)
        reading = Meter.measure do
          # One part for each worker, because each part returns a table of most words.
          Counter.together(Control.map(setting, Counter.parts(path, setting.workers), work(path)))
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

      def goals(rows) = parallel_goals(rows)

      def notes(_params)
        texts = Service::Corpus.found.map { |path| File.basename(path, ".dict.dz") }
        ["the text is #{texts.join(", ")}, " \
          "over and over; a word is letters from a to z",
          "the time is that of reading, counting and putting the workers' tables together"]
      end

      private

      def work(path) = Work.new(Counter, :count, [-path])
    end
  end
end
