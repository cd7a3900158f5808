# frozen_string_literal: true

require_relative "../harness/page"

module JobFeaturesBench
  # The tables of docs/performance.md: a line for each target, since there are many.
  class Page < Bench::Page
    COLUMNS = %w[plain limited rated workflow durable].freeze

    # @return [String] Markdown
    def body
      [head,
        "**CPU time of the worker, us**: median (least to most)", cpu,
        "**CPU time of the database's server, us**", server,
        "**CPU time to enqueue a job, us**, with the server's part", enqueue,
        "**Best rival / Raffia**, CPU time of the worker on the same database, with the interval " \
          "of the ratio (bootstrap, 95 %)", ratios,
        "**A small tenant beside one with 10,000 jobs**, and lone jobs", latency,
        "**Memory of the worker's processes, MiB**", memory, notes].join("\n\n")
    end

    private

    def cpu = rows(COLUMNS) { |plan, target| spread(plan, target, :cpu_us) }

    def server
      rows(COLUMNS) { |plan, target| number(cell(plan, target)&.median(:server_us)) }
    end

    def enqueue
      rows(COLUMNS) do |plan, target|
        own, server = %i[put_us put_server_us].map { |name| cell(plan, target)&.median(name) }
        own && number(own + server.to_f)
      end
    end

    def ratios
      ours = targets.select(&:ours?)
      plans = plans_of([*COLUMNS, "lone"])
      markdown(["", *plans.map(&:title)], ours.map { |target|
        [target.name, *plans.map { |plan| ratio(plan, target) }]
      })
    end

    def ratio(plan, target)
      found = @summary.ahead(plan, target) or return ""
      rival = @summary.best_rival(plan, target.group).name
      format("%.2f (%.2f to %.2f)%s, %s", found.value, found.low, found.high,
        noise(found), rival)
    end

    def noise(ratio)
      return ", one run" if ratio.single

      ", noise" if ratio.noise
    end

    def latency
      tenants, lone = %w[tenants lone].map { |name| plans_of([name]).first }
      rows = targets.filter_map do |target|
        next unless cell(tenants, target) || cell(lone, target)

        [target.name, *%i[p50_us p99_us].map { |name| milliseconds(tenants, target, name) },
          spread(lone, target, :cpu_us), number(cell(lone, target)&.median(:server_us)).to_s]
      end
      markdown(["", "p50, ms", "p99, ms", "a lone job: CPU of both processes, us",
        "and of the server"], rows)
    end

    def milliseconds(plan, target, name)
      value = cell(plan, target)&.median(name)
      value ? number(value / 1000) : ""
    end

    def memory
      plan, = plans_of(%w[memory])
      rows = targets.select { |target| cell(plan, target)&.any? }.map do |target|
        [target.name, *%i[idle_mib pss_mib idle_anon_mib anon_mib].map { |name|
          spread(plan, target, name)
        }]
      end
      markdown(["", "PSS, idle", "PSS, after the jobs", "without files' pages, idle",
        "after the jobs"], rows)
    end

    def rows(names)
      plans = plans_of(names)
      shown = targets.select { |target| plans.any? { |plan| cell(plan, target)&.any? } }
      markdown(["", *plans.map(&:title)],
        shown.map { |target| [target.name, *plans.map { |plan| yield(plan, target).to_s }] })
    end

    def spread(plan, target, name)
      cell = cell(plan, target) or return ""
      return "fails" unless cell.errors.empty?

      format("%s (%s to %s)", *[cell.median(name), *cell.values(name).minmax].map { number(_1) })
    end

    def plans_of(names) = plans.select { |plan| names.include?(plan.name) }
  end
end
