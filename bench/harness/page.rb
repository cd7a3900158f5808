# frozen_string_literal: true

require_relative "summary"

module Bench
  # The tables of docs/performance.md, between two markers.
  class Page
    FILE = File.expand_path("../../docs/performance.md", __dir__)

    def initialize(summary)
      @summary = summary
      name = summary.suite.name
      @first = "<!-- #{name}: written by rake bench:#{name}:page -->"
      @last = "<!-- #{name}: end -->"
    end

    def write
      text = File.read(FILE)
      unless text.include?(@first) && text.include?(@last)
        raise "#{FILE} has no #{@first} and #{@last}"
      end

      between = /#{Regexp.escape(@first)}.*#{Regexp.escape(@last)}/m
      File.write(FILE, text.sub(between) { [@first, body, @last].join("\n\n") })
    end

    # @return [String] Markdown
    def body
      [head, "**CPU time, us for each operation** (user and system, of the whole process; medians)",
        cpu,
        "**Operations in a second**",
        table { |plan, target| count(cell(plan, target)&.median(:rate)) },
        *@summary.suite.columns.flat_map { |column| send(column) }, *further, notes].join("\n\n")
    end

    private

    def head
      machine, gems = @summary.data.values_at(:machine, :gems)
      "#{machine[:time]}; #{machine[:processors]} x #{machine[:processor]}, #{machine[:kernel]}; " \
      "#{machine[:ruby]}, " \
        "#{machine[:flags].join(" ")}; " \
        "#{gems.map { |name, version| "#{name} #{version}" }.join(", ")}; " \
        "#{@summary.data[:runs]} runs."
    end

    def cpu
      lines = plans.map do |plan|
        [plan.title, *targets.map { |target| time(plan, target) }, verdict(plan)]
      end
      markdown(["per operation", *targets.map(&:name), "the best rival / our best"], lines)
    end

    def time(plan, target)
      cell = cell(plan, target) or return ""
      return "fails" unless cell.errors.empty?
      return "" unless cell.any?

      text = number(cell.median(:cpu_us))
      (target == @summary.best_rival(plan, target.group)) ? "**#{text}**" : text
    end

    def verdict(plan) = @summary.groups.filter_map { |group| lead(plan, group) }.join("; ")

    def lead(plan, group)
      ours = @summary.best_ours(plan, group)
      ratio = ours && @summary.ahead(plan, ours) or return
      "#{"#{group} " if group}#{format("%.2f", ratio.value)}x#{", noise" if ratio.noise}"
    end

    def syscalls
      return [] unless plans.any? { |plan| targets.any? { |target| cell(plan, target)&.syscalls } }

      ["**System calls for each operation** (counted in a run of its own)",
        table { |plan, target| number(cell(plan, target)&.syscalls) }]
    end

    def allocations
      ["**Objects allocated for each operation**",
        table { |plan, target| number(cell(plan, target)&.median(:allocations)) }]
    end

    def seconds
      ["**Seconds that the whole workload takes**",
        table { |plan, target| (wall = cell(plan, target)&.median(:wall)) && format("%.3g", wall) }]
    end

    def memory
      return [] if plans.none?(&:parks?)

      ["**Memory, KiB for each connection or fiber that waits**",
        table(plans.select(&:parks?)) { |plan, target| number(cell(plan, target)&.median(:kib)) }]
    end

    def pss
      ["**Memory, MiB of all processes together** (PSS, at the end)",
        table { |plan, target| number(cell(plan, target)&.median(:pss_mib)) }]
    end

    # Requests that arrive independently of the answers.
    def waiting
      ["**Latency, ms: p50 / p99 / p99.9**, at a fixed rate of arrivals",
        table(plans.select { |plan| plan.rate.positive? }) { |plan, target|
          percentiles(cell(plan, target))
        }]
    end

    # A figure that several workloads have is a table of its own; those that only one has are the
    # lines of one table.
    def further
      many, single = @summary.suite.figures
        .partition { |name, _| plans.count { |plan| have?(name, plan) } > 1 }
      single.select! { |name, _| plans.any? { |plan| have?(name, plan) } }
      tables = many.flat_map do |name, title|
        ["**#{title}**",
          lines(plans.select { |plan| have?(name, plan) }.map { |plan| [plan.title, plan, name] })]
      end
      return tables if single.empty?

      tables +
        ["**What goes on besides**",
          lines(single.map { |name, title|
            [title, plans.find { |plan| have?(name, plan) },
              name]
          })]
    end

    # @param rows [Array<Array(String, #name, Symbol)>] title, workload and figure
    def lines(rows)
      columns = targets.select { |target| rows.any? { |_, _, name| have?(name, target) } }
      markdown(["", *columns.map(&:name)],
        rows.map { |title, plan, name|
          [title,
            *columns.map { |target| number(cell(plan, target)&.median(name)).to_s }]
        })
    end

    def have?(name, one)
      plans.product(targets).any? do |plan, target|
        [plan, target].include?(one) && cell(plan, target)&.median(name)
      end
    end

    def percentiles(cell)
      found = %i[p50_us p99_us p999_us].map { |name| cell&.median(name) }
      found.map { |value| number(value / 1000) }.join(" / ") if found.all?
    end

    def table(rows = plans)
      markdown(["", *targets.map(&:name)],
        rows.map { |plan| [plan.title, *targets.map { |target| yield(plan, target).to_s }] })
    end

    def markdown(head, lines)
      [head, head.map { "---" }, *lines].map { |line| "| #{line.join(" | ")} |" }.join("\n")
    end

    def notes
      failures = plans.product(targets).filter_map { |plan, target| failure(plan, target) }
      odd = @summary.data[:semantics].flat_map do |target, questions|
        questions.map { |question| "* #{target}: not so: #{question}." }
      end
      late = plans.product(targets).filter_map { |plan, target| late(plan, target) }
      lines = [*@summary.data[:notes].map { |note| "* #{note}." }, *failures, *late, *odd]
      lines.empty? ? "" : ["Fails, or is not what a program would expect:", "", *lines].join("\n")
    end

    def failure(plan, target)
      error = cell(plan, target)&.errors&.first or return
      "* #{target.name}, #{plan.name}: `#{error[0, 160]}`."
    end

    def late(plan, target)
      %i[unanswered open_unanswered].filter_map { |name| cell(plan, target)&.median(name)&.round }
        .max.then do |count|
        if count&.positive?
          "* #{target.name}, #{plan.name}: #{count} requests were not answered in time."
        end
      end
    end

    def plans = @summary.plans

    def targets = @summary.targets

    def cell(plan, target) = @summary.cell(plan, target)

    def number(value)
      return unless value

      format((value >= 100) ? "%.0f" : "%.2f", value)
    end

    def count(value) = value&.round&.to_s&.gsub(/(\d)(?=(\d{3})+\z)/, '\1,')
  end
end
