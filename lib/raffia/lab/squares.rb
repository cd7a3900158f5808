# frozen_string_literal: true

require_relative "experiment"

module Raffia
  module Lab
    # The sum of the squares of 0...72,072,000 on 1 to N workers. The sums are Bignums: they
    # allocate, and garbage collection stops all Ractors.
    class Squares < Experiment
      LIMIT = 72_072_000
      # The same parts for every number of workers: each sum starts as a Fixnum, so more parts would
      # be less work. There are enough for workers to balance, and for a JIT, which compiles what is
      # called often.
      PARTS = 128

      # Range: from, and up to but not with.
      def self.sum(range)
        number, stop = range
        total = 0
        while number < stop
          total += number * number
          number += 1
        end
        total
      end

      # 0...limit in equal parts.
      def self.split(limit, parts)
        (0..parts).map { |part| limit * part / parts }.each_cons(2).map(&:freeze)
      end

      def self.closed_form(limit) = (limit - 1) * limit * (2 * limit - 1) / 6

      def name = "squares"

      def title = "the sum of the squares below a limit, on 1 to N workers"

      def variants = %i[inline threads ractors processes]

      def controls = {plain_ractors: :ractors, plain_processes: :processes}

      def workers(variant, cores)
        case variant
        when :inline then [1]
        when :threads then [cores]
        else [*(0..).lazy.map { |power| 2**power }.take_while { |count| count < cores }, cores]
        end
      end

      def params(scale) = {limit: [(LIMIT * scale).round, 1_000].max}

      def size(params) = "0...#{params[:limit].to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, "_")}"

      def warm_up(setting)
        Control.map(setting, Squares.split(10_000, setting.workers), Work.new(Squares, :sum))
      end

      def perform(setting)
        ranges = Squares.split(setting.params[:limit], PARTS)
        {sum: Control.map(setting, ranges, Work.new(Squares, :sum)).sum}
      end

      def verify(params, facts, _report)
        {"the sum equals the formula's" => facts[:sum] == Squares.closed_form(params[:limit])}
      end

      def goals(rows) = parallel_goals(rows)
    end
  end
end
