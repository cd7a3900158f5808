# frozen_string_literal: true

require_relative "summary"

module Bench
  # All figures for a terminal, workload by workload. A figure in the noise has a ~ in front.
  class Report
    HEAD = "  %-14s %10s %19s %10s %9s %9s %9s %8s %8s %8s %10s %6s  %s"
    NAMES = ["", "CPU us", "(min - max)", "per second", "user us", "syscalls", "objects", "KiB",
      "PSS MiB", "p50 us", "p99 us", "load",
      "best rival / it"].freeze
    BUSY = 0.9 # of a processor: the load may be what is measured

    def initialize(summary)
      @summary = summary
    end

    def to_s = [head, *@summary.plans.map { |plan| workload(plan) }, notes].join("\n\n")

    private

    def head
      machine = @summary.data[:machine]
      gems = @summary.data[:gems].map { |name, version| "#{name} #{version}" }.join(", ")
      "#{machine[:ruby]} #{machine[:flags].join(" ")}\n#{machine[:kernel]}, " \
      "#{machine[:processors]} x #{machine[:processor]}, " \
        "load #{machine[:load]} at the start; #{@summary.data[:runs]} runs\n#{gems}"
    end

    def workload(plan)
      rows = @summary.targets.filter_map do |target|
        @summary.cell(plan, target)&.then { |cell| row(plan, target, cell) }
      end
      ["#{plan.name}: #{plan.title}, per #{plan.unit}", format(HEAD, *NAMES), *rows].join("\n")
    end

    def row(plan, target, cell)
      unless cell.any?
        return "  #{target.name.ljust(14)} " \
          "#{cell.errors.empty? ? "not tried" : "FAILED: #{cell.errors.first}"}"
      end

      text = format(HEAD, target.name, number(cell.median(:cpu_us)),
        "(#{cell.range.map { |value| number(value) }.join(" - ")})",
        cell.median(:rate)&.round.to_s, number(cell.median(:user_us)), number(cell.syscalls),
        number(cell.median(:allocations)),
        number(cell.median(:kib)), number(cell.median(:pss_mib)), number(cell.median(:p50_us)),
        number(cell.median(:p99_us)),
        number(cell.median(:load)), ahead(plan, target))
      further(cell) { |name, value| text << " #{name} #{number(value)}" }
      text << " FAILED #{cell.errors.size} times: #{cell.errors.first}" unless cell.errors.empty?
      if cell.median(:unanswered).to_f > 0
        text << " #{cell.median(:unanswered).round} requests were not answered in time"
      end
      text << " the load is busy: more per second cannot be seen" if cell.median(:load).to_f > BUSY
      text
    end

    def further(cell)
      @summary.suite.figures.each_key { |name| (value = cell.median(name)) && yield(name, value) }
    end

    def ahead(plan, target)
      return "" unless target.ours? && (ratio = @summary.ahead(plan, target))

      "#{"~" if ratio.noise}#{format("%.2f", ratio.value)}x " \
        "#{@summary.best_rival(plan, target.group).name}"
    end

    def number(value)
      return "" unless value

      format((value >= 100) ? "%.0f" : "%.2f", value)
    end

    def notes
      odd = @summary.data[:semantics].flat_map do |target, questions|
        questions.map { |question| "#{target}: not so: #{question}" }
      end
      ["~ within the noise", *@summary.data[:notes], *odd].join("\n")
    end
  end
end
